/* SPDX-License-Identifier: Apache-2.0
 * See time_object.h. */
#include "time/time_object.h"

ifl_time_object *ifl_time_object_of(ifl_time_objects *objects, uint32_t number)
{
    for (uint32_t i = 0; i < objects->count; i++)
        if (objects->at[i].had.object == number)
            return &objects->at[i];
    if (objects->count == IFL_TIME_OBJECTS)
        return NULL;
    objects->at[objects->count] = (ifl_time_object){.had.object = number};
    return &objects->at[objects->count++];
}

bool ifl_time_object_is_over(const ifl_time_object *object, const ifl_object_count *awaited)
{
    return object->had.arrivals >= awaited->arrivals && object->had.copies >= awaited->copies;
}
