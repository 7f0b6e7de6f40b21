# SPDX-License-Identifier: Apache-2.0
"""Made by tools/make-python from include/inflight.h."""
import ctypes as c

IFL_OK = 0
IFL_FINDING = 1
IFL_USAGE = 2
IFL_BAD_INPUT = 3
IFL_UNSUPPORTED = 4
IFL_NO_GPU = 5
IFL_INTERNAL = 6
IFL_NO_MEMORY = 7
IFL_NO_FILE = 8
IFL_INTERRUPTED = 9
IFL_STATUS_COUNT = 10
IFL_BETWEEN_ROTATE = 0
IFL_BETWEEN_FLUSH = 1
IFL_BETWEEN_WARM = 2
IFL_TERM_DRAM = 0
IFL_TERM_L2 = 1
IFL_TERM_L1 = 2
IFL_TERM_SHARED = 3
IFL_TERM_ATOMICS = 4
IFL_TERM_ISSUE = 5
IFL_TERM_ARITHMETIC = 6
IFL_TERM_TENSOR = 7
IFL_TERM_HOST = 8
IFL_TERM_LATENCY = 9
IFL_TERM_LAUNCH = 10
IFL_TERM_TAIL = 11
IFL_TERM_COUNT = 12
IFL_LEVER_LATENCY = 0
IFL_LEVER_OCCUPANCY = 1
IFL_LEVER_REQUESTS = 2
IFL_LEVER_BYTES = 3
IFL_LEVER_COUNT = 4
IFL_REPORT_TEXT = 0
IFL_REPORT_JSON = 1
IFL_REPORT_HTML = 2
IFL_RUN_GPU = "INFLIGHT_RUN_GPU"
IFL_RUN_GPUS = "INFLIGHT_RUN_GPUS"
IFL_RUN_JSON = "INFLIGHT_RUN_JSON"
IFL_RUN_HTML = "INFLIGHT_RUN_HTML"
IFL_RUN_KERNEL = "INFLIGHT_RUN_KERNEL"
IFL_RUN_LAUNCHES = "INFLIGHT_RUN_LAUNCHES"
IFL_RUN_SKIP = "INFLIGHT_RUN_SKIP"
IFL_RUN_COUNT = "INFLIGHT_RUN_COUNT"
IFL_RUN_THREADS = "INFLIGHT_RUN_THREADS"
IFL_RUN_PROCESS = "INFLIGHT_RUN_PROCESS"
IFL_RUN_ANALYSIS = "INFLIGHT_RUN_ANALYSIS"
IFL_RUN_LEAKS = "INFLIGHT_RUN_LEAKS"
IFL_RUN_RACES = "INFLIGHT_RUN_RACES"
IFL_RUN_READS = "INFLIGHT_RUN_READS"
IFL_RUN_EACH = "INFLIGHT_RUN_EACH"
IFL_RUN_FAIL = "INFLIGHT_RUN_FAIL"


class ifl_error(c.Structure):
    _fields_ = [
        ("status", c.c_int),
        ("line", c.c_int),
        ("column", c.c_int),
        ("file", c.c_char * 256),
        ("text", c.c_char * 1024),
        ("source", c.c_char * 256),
    ]


class ifl_run_options(c.Structure):
    _fields_ = [
        ("threads", c.c_int),
        ("check_reads", c.c_bool),
        ("check_races", c.c_bool),
        ("resident", c.c_int),
        ("quantum", c.c_int),
        ("stop", c.POINTER(c.c_int)),
        ("progress", c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_uint64)),
        ("progress_user", c.c_void_p),
        ("print", c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_size_t)),
        ("print_user", c.c_void_p),
        ("vector_width", c.c_char_p),
        ("devices", c.POINTER(c.c_void_p)),
        ("device_count", c.c_size_t),
        ("registers", c.c_int),
        ("repeated", c.c_bool),
        ("listing", c.c_bool),
    ]


class ifl_launch_argument_info(c.Structure):
    _fields_ = [
        ("is_buffer", c.c_bool),
        ("type", c.c_char_p),
        ("data", c.c_void_p),
        ("bytes", c.c_size_t),
        ("same", c.c_size_t),
    ]


class ifl_gpu_options(c.Structure):
    _fields_ = [
        ("time", c.c_bool),
        ("between", c.c_int),
        ("samples", c.c_int),
        ("subtract_floor", c.c_bool),
        ("no_copy", c.c_bool),
        ("carveout_given", c.c_bool),
        ("carveout_percent", c.c_int),
        ("threads", c.c_int),
        ("stop", c.POINTER(c.c_int)),
        ("engine", c.c_void_p),
    ]


class ifl_occupancy_request(c.Structure):
    _fields_ = [
        ("threads", c.c_int),
        ("registers", c.c_int),
        ("shared_bytes", c.c_int),
        ("barriers", c.c_int),
        ("blocks", c.c_uint64),
        ("shared_limit", c.c_int),
        ("cluster", c.c_int),
    ]


class ifl_occupancy(c.Structure):
    _fields_ = [
        ("blocks_per_sm", c.c_int),
        ("warps_per_sm", c.c_int),
        ("max_warps_per_sm", c.c_int),
        ("theoretical", c.c_double),
        ("limiter", c.c_char_p),
        ("registers_for_more", c.c_int),
        ("registers_before_fewer", c.c_int),
        ("shared_for_more", c.c_int),
        ("shared_before_fewer", c.c_int),
        ("clusters", c.c_uint64),
    ]


class ifl_waves(c.Structure):
    _fields_ = [
        ("blocks_per_sm", c.c_int),
        ("blocks", c.c_uint64),
        ("wave_blocks", c.c_uint64),
        ("cluster", c.c_uint32),
        ("full_waves", c.c_uint64),
        ("waves", c.c_double),
        ("partial_wave", c.c_double),
        ("tail_efficiency", c.c_double),
    ]


class ifl_estimate(c.Structure):
    _fields_ = [
        ("low", c.c_double),
        ("mid", c.c_double),
        ("high", c.c_double),
    ]


class ifl_model(c.Structure):
    _fields_ = [
        ("occupancy", ifl_occupancy),
        ("registers", c.c_int),
        ("registers_estimated", c.c_bool),
        ("occupancy_achieved", c.c_double),
        ("waves", ifl_waves),
        ("bytes_in_flight_per_sm", c.c_double),
        ("bytes_needed_per_sm", c.c_double),
        ("latency_ns", c.c_double),
        ("waits_per_warp", c.c_double),
        ("waits_estimated", c.c_bool),
        ("issue_estimated", c.c_bool),
        ("arithmetic_estimated", c.c_bool),
        ("term_us", c.c_double * 12),
        ("limiter", c.c_int),
        ("runner_up", c.c_int),
        ("time_us", ifl_estimate),
        ("dram_bytes", c.c_double),
        ("dram_bytes_per_s", c.c_double),
        ("dram_utilization", c.c_double),
        ("lever_us", c.c_double * 4),
        ("sm_time_us", c.c_double),
        ("cycles", c.c_double),
        ("issue_active", c.c_double),
        ("tensor_utilization", c.c_double),
    ]


class ifl_finding(c.Structure):
    _fields_ = [
        ("rule", c.c_char_p),
        ("remedies", c.POINTER(c.c_char_p)),
        ("title", c.c_char_p),
        ("file", c.c_char_p),
        ("line", c.c_uint32),
        ("space", c.c_char_p),
        ("kind", c.c_char_p),
        ("instructions", c.c_uint),
        ("source", c.c_char_p),
        ("figures", c.c_char_p),
        ("why", c.c_char_p),
        ("helps", c.c_char_p),
    ]


class ifl_advice(c.Structure):
    _fields_ = [
        ("rule", c.c_char_p),
        ("remedy", c.c_char_p),
        ("symptom", c.c_char_p),
        ("cost", c.c_char_p),
        ("document", c.c_char_p),
        ("file", c.c_char_p),
        ("line", c.c_uint32),
        ("gain_low", c.c_double),
        ("gain_high", c.c_double),
        ("gain", c.c_double),
        ("gain_is_open", c.c_bool),
    ]


class ifl_report_launch(c.Structure):
    _fields_ = [
        ("signature", c.c_char_p),
        ("site", c.c_char_p),
        ("grid", c.c_uint32 * 3),
        ("block", c.c_uint32 * 3),
        ("time_us", c.c_double),
    ]


class ifl_report_options(c.Structure):
    _fields_ = [
        ("color", c.c_bool),
        ("max_lines", c.c_int),
        ("width", c.c_int),
        ("default_gpu", c.c_bool),
        ("each", c.POINTER(ifl_report_launch)),
        ("each_count", c.c_size_t),
        ("warnings", c.POINTER(c.c_char_p)),
        ("warning_count", c.c_size_t),
    ]


class ifl_compare_options(c.Structure):
    _fields_ = [
        ("threshold", c.c_double),
        ("all", c.c_bool),
        ("color", c.c_bool),
        ("width", c.c_int),
    ]


class ifl_machine_options(c.Structure):
    _fields_ = [
        ("kernel", c.c_char_p),
        ("listing", c.c_bool),
        ("profile", c.c_char_p),
        ("code", c.c_char_p),
        ("color", c.c_bool),
        ("width", c.c_int),
    ]


FUNCTIONS = {
    "ifl_status_text": (c.c_char_p, [c.c_int]),
    "ifl_status_exit_code": (c.c_int, [c.c_int]),
    "ifl_version": (c.c_char_p, []),
    "ifl_module_open": (c.c_int, [c.c_char_p, c.c_char_p, c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_module_close": (None, [c.c_void_p]),
    "ifl_module_kernel_count": (c.c_size_t, [c.c_void_p]),
    "ifl_module_kernel_name": (c.c_char_p, [c.c_void_p, c.c_size_t]),
    "ifl_module_kernel_signature": (c.c_char_p, [c.c_void_p, c.c_size_t]),
    "ifl_module_kernel_parameter": (c.c_char_p, [c.c_void_p, c.c_size_t, c.c_size_t]),
    "ifl_module_kernel_type": (c.c_char_p, [c.c_void_p, c.c_size_t, c.c_size_t]),
    "ifl_module_dump": (c.c_int, [c.c_void_p, c.c_char_p, c.c_char_p, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_launch_new": (c.c_int, [c.c_void_p, c.c_char_p, c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_launch_free": (None, [c.c_void_p]),
    "ifl_launch_set": (c.c_int, [c.c_void_p, c.c_char_p, c.c_char_p, c.POINTER(ifl_error)]),
    "ifl_launch_read": (c.c_int, [c.c_char_p, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_launch_gpu": (c.c_char_p, [c.c_void_p, c.c_size_t]),
    "ifl_launch_default_gpu": (c.c_char_p, [c.c_void_p]),
    "ifl_launch_run": (c.c_int, [c.c_void_p, c.POINTER(ifl_run_options), c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_launch_buffer": (c.c_int, [c.c_void_p, c.c_size_t, c.POINTER(c.c_void_p), c.POINTER(c.c_size_t), c.POINTER(ifl_error)]),
    "ifl_launch_argument_count": (c.c_size_t, [c.c_void_p]),
    "ifl_launch_argument_at": (c.c_int, [c.c_void_p, c.c_size_t, c.POINTER(ifl_launch_argument_info), c.POINTER(ifl_error)]),
    "ifl_launch_shape": (None, [c.c_void_p, c.POINTER(c.c_uint32), c.POINTER(c.c_uint32)]),
    "ifl_launch_input": (c.c_char_p, [c.c_void_p, c.c_size_t]),
    "ifl_launch_save": (c.c_int, [c.c_void_p, c.c_size_t, c.c_char_p, c.POINTER(ifl_error)]),
    "ifl_gpu_open": (c.c_int, [c.c_int, c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_gpu_close": (None, [c.c_void_p]),
    "ifl_gpu_name": (c.c_char_p, [c.c_void_p]),
    "ifl_gpu_sm": (c.c_int, [c.c_void_p]),
    "ifl_gpu_cuda": (c.c_int, [c.c_void_p]),
    "ifl_launch_run_on": (c.c_int, [c.c_void_p, c.c_void_p, c.POINTER(ifl_gpu_options), c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_launch_compare": (c.c_int, [c.c_void_p, c.c_void_p, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_profile_compare_code": (c.c_int, [c.c_void_p, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_profile_count": (c.c_int, [c.c_void_p, c.POINTER(c.c_char_p), c.POINTER(ifl_error)]),
    "ifl_profile_timing": (c.c_bool, [c.c_void_p, c.c_char_p, c.POINTER(c.c_double)]),
    "ifl_profile_free": (None, [c.c_void_p]),
    "ifl_profile_blocks_done": (c.c_uint64, [c.c_void_p]),
    "ifl_profile_counter": (c.c_bool, [c.c_void_p, c.c_char_p, c.POINTER(c.c_uint64)]),
    "ifl_profile_line_count": (c.c_size_t, [c.c_void_p]),
    "ifl_profile_line_counter": (c.c_bool, [c.c_void_p, c.c_size_t, c.c_char_p, c.POINTER(c.c_uint64)]),
    "ifl_profile_line_pattern": (c.c_char_p, [c.c_void_p, c.c_size_t]),
    "ifl_profile_line_ptx_line": (c.c_uint32, [c.c_void_p, c.c_size_t]),
    "ifl_device_open": (c.c_int, [c.c_char_p, c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_device_close": (None, [c.c_void_p]),
    "ifl_device_id": (c.c_char_p, [c.c_size_t]),
    "ifl_occupancy_compute": (c.c_int, [c.c_void_p, c.POINTER(ifl_occupancy_request), c.POINTER(ifl_occupancy), c.POINTER(ifl_error)]),
    "ifl_device_probe": (c.c_int, [c.c_void_p, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_devices_write": (c.c_int, [c.c_void_p, c.c_int, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_devices_json": (c.c_int, [c.POINTER(c.c_void_p), c.c_size_t, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_occupancy_json": (c.c_int, [c.POINTER(c.c_void_p), c.c_size_t, c.POINTER(ifl_occupancy_request), c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_device_fields_write": (c.c_int, [c.c_int, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_occupancy_write": (c.c_int, [c.POINTER(c.c_void_p), c.c_size_t, c.POINTER(ifl_occupancy_request), c.c_int, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_term_name": (c.c_char_p, [c.c_int]),
    "ifl_waves_compute": (None, [c.c_void_p, c.c_uint64, c.c_int, c.c_int, c.POINTER(ifl_waves)]),
    "ifl_profile_model": (c.c_int, [c.c_void_p, c.c_void_p, c.POINTER(ifl_model), c.POINTER(ifl_error)]),
    "ifl_profile_cache": (c.c_bool, [c.c_void_p, c.c_void_p, c.c_char_p, c.POINTER(c.c_double)]),
    "ifl_outcome_new": (c.c_int, [c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_outcome_free": (None, [c.c_void_p]),
    "ifl_outcome_add": (c.c_int, [c.c_void_p, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_outcome_profile": (c.c_void_p, [c.c_void_p]),
    "ifl_outcome_device": (c.c_void_p, [c.c_void_p, c.c_size_t]),
    "ifl_outcome_model": (c.POINTER(ifl_model), [c.c_void_p, c.c_size_t, c.POINTER(c.c_char_p)]),
    "ifl_outcome_finding": (c.c_bool, [c.c_void_p, c.c_size_t, c.POINTER(ifl_finding)]),
    "ifl_outcome_advice": (c.c_bool, [c.c_void_p, c.c_size_t, c.c_size_t, c.POINTER(ifl_advice)]),
    "ifl_report_write": (c.c_int, [c.POINTER(c.c_void_p), c.c_size_t, c.c_int, c.POINTER(ifl_report_options), c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_report_save": (c.c_int, [c.POINTER(c.c_void_p), c.c_size_t, c.c_int, c.POINTER(ifl_report_options), c.c_char_p, c.POINTER(ifl_error)]),
    "ifl_compare_write": (c.c_int, [c.c_char_p, c.c_char_p, c.c_int, c.POINTER(ifl_compare_options), c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_program_check": (c.c_int, [c.c_char_p, c.c_bool, c.POINTER(ifl_error)]),
    "ifl_machine_open": (c.c_int, [c.c_char_p, c.c_char_p, c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_machine_close": (None, [c.c_void_p]),
    "ifl_machine_kernel_count": (c.c_size_t, [c.c_void_p]),
    "ifl_machine_kernel_name": (c.c_char_p, [c.c_void_p, c.c_size_t]),
    "ifl_machine_write": (c.c_int, [c.c_void_p, c.c_int, c.POINTER(ifl_machine_options), c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_machine_save": (c.c_int, [c.c_void_p, c.c_int, c.POINTER(ifl_machine_options), c.c_char_p, c.POINTER(ifl_error)]),
    "ifl_document": (c.c_int, [c.c_char_p, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_explain": (c.c_int, [c.c_char_p, c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_text_clean": (None, [c.c_char_p]),
    "ifl_output_create": (c.c_int, [c.c_char_p, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p), c.POINTER(ifl_error)]),
    "ifl_output_finish": (c.c_int, [c.c_void_p, c.POINTER(ifl_error)]),
    "ifl_output_abandon": (None, [c.c_void_p]),
    "ifl_output_check": (c.c_int, [c.c_char_p, c.POINTER(ifl_error)]),
    "ifl_output_is_same": (c.c_bool, [c.c_char_p, c.c_char_p]),
    "ifl_outputs_drop": (None, []),
}
