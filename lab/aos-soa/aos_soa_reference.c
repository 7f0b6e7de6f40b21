/* SPDX-License-Identifier: Apache-2.0
 * The step of aos_soa.cu, for either layout. The compiler of the kernels may contract products and
 * sums, this one does not: equal but for rounding. */
#include "lab_reference.h"

#include <string.h>

enum { MEMBERS = 20, OUTPUTS = 3 };
enum { HEIGHT, U, V, BED, PRESSURE, FIRST_OWN, RESPONSES = 5 };
enum { OLD, FORCING = 3, LENGTH_X = 6, LENGTH_Y, VISCOSITY_X, VISCOSITY_Y };
enum { WEST, EAST, NORTH, SOUTH, SIDES };

typedef struct model {
    const double *states, *fields;
    size_t nx, ny, pitch, cells;
    bool arrays;
} model;

typedef struct side {
    double height, u, v, head;
} side;

static double member(const model *m, size_t cell, size_t number)
{
    return m->states[m->arrays ? number * m->cells + cell : cell * MEMBERS + number];
}

static double field(const model *m, size_t number, size_t cell)
{
    return m->fields[number * m->cells + cell];
}

static side side_of(const model *m, size_t cell)
{
    return (side){member(m, cell, HEIGHT), member(m, cell, U), member(m, cell, V),
                  member(m, cell, BED) + member(m, cell, PRESSURE)};
}

/* What the own members from `first` on answer to the own state. */
static double response(const model *m, size_t cell, side own, size_t first)
{
    return member(m, cell, first) + own.u * member(m, cell, first + 1) +
           own.v * member(m, cell, first + 2) + own.head * member(m, cell, first + 3) +
           own.height * member(m, cell, first + 4);
}

static void change_of(const model *m, size_t cell, double change[OUTPUTS])
{
    const size_t where[SIDES] = {cell - 1, cell + 1, cell - m->pitch, cell + m->pitch};
    const double length[SIDES] = {-field(m, LENGTH_X, cell), field(m, LENGTH_X, cell + 1),
                                  -field(m, LENGTH_Y, cell), field(m, LENGTH_Y, cell + m->pitch)};
    const double viscosity[SIDES] = {field(m, VISCOSITY_X, cell), field(m, VISCOSITY_X, cell + 1),
                                     field(m, VISCOSITY_Y, cell),
                                     field(m, VISCOSITY_Y, cell + m->pitch)};
    const side own = side_of(m, cell);
    for (int k = 0; k < OUTPUTS; k++)
        change[k] = response(m, cell, own, FIRST_OWN + (size_t)k * RESPONSES) +
                    field(m, OLD + (size_t)k, cell) + field(m, FORCING + (size_t)k, cell);
    for (int s = 0; s < SIDES; s++) {
        const side other = side_of(m, where[s]);
        const bool across = s == WEST || s == EAST;
        change[HEIGHT] += length[s] * (across ? other.height * other.u + own.height * own.u
                                              : other.height * other.v + own.height * own.v);
        change[across ? U : V] += length[s] * (other.head - own.head);
        change[U] += viscosity[s] * (other.u - own.u);
        change[V] += viscosity[s] * (other.v - own.v);
    }
}

LAB_REFERENCE(aos_soa)
{
    const size_t nx = (size_t)lab_integer(run, 0), ny = (size_t)lab_integer(run, 1);
    const model m = {.states = lab_data(run, 2),
                     .fields = lab_data(run, 3),
                     .nx = nx,
                     .ny = ny,
                     .pitch = nx + 2,
                     .cells = (nx + 2) * (ny + 2),
                     .arrays = strncmp(run->version, "arrays", 6) == 0};
    double *out = lab_data(run, 4);
#pragma omp parallel for
    for (size_t y = 0; y < ny; y++)
        for (size_t x = 0; x < nx; x++) {
            double change[OUTPUTS];
            const size_t result = y * nx + x;
            change_of(&m, (y + 1) * m.pitch + x + 1, change);
            for (size_t k = 0; k < OUTPUTS; k++)
                out[m.arrays ? k * nx * ny + result : result * OUTPUTS + k] = change[k];
        }
}
