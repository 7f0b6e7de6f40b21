/* SPDX-License-Identifier: Apache-2.0
 * See statement.h. Not here, since their results are open or they end the kernel: activemask,
 * elect, discard, brkpt, trap, alloca, stacksave, stackrestore; setmaxnreg, which only kernels of
 * whole warpgroups may use. */
#include "statement.h"

const char statement_functions[] =
    ".func (.param .b32 sum) mix(.param .b32 a, .param .b32 b)\n{\n\t.reg .b32 %a, %b;\n"
    "\tld.param.b32 %a, [a];\n\tld.param.b32 %b, [b];\n\tshf.l.wrap.b32 %a, %a, %b, 7;\n\tadd.u32 "
    "%a, %a, %b;\n"
    "\tst.param.b32 [sum], %a;\n\tret;\n}\n";

static const char *const statements[] = {
    /* carries */
    "\tadd.cc.u32 $r, $r, $r;\n\taddc.cc.u32 $r, $r, $r;\n\taddc.u32 $r, $r, $r;\n",
    "\tsub.cc.u32 $r, $r, $r;\n\tsubc.cc.u32 $r, $r, $r;\n\tsubc.u32 $r, $r, $r;\n",
    "\tadd.cc.u64 $d, $d, $d;\n\taddc.u64 $d, $d, $d;\n",
    "\tsub.cc.u64 $d, $d, $d;\n\tsubc.u64 $d, $d, $d;\n",
    "\tmad.lo.cc.u32 $r, $r, $r, $r;\n\tmadc.hi.u32 $r, $r, $r, $r;\n",
    "\tmad.hi.cc.u32 $r, $r, $r, $r;\n\tmadc.lo.cc.u32 $r, $r, $r, $r;\n\taddc.u32 $r, $r, $r;\n",
    /* bits */
    "\tlop3.b32 $r, $r, $r, $r, 0xd8;\n\tlop3.b32 $r, $r, $r, $r, 0x69;\n",
    "\tbmsk.clamp.b32 $r, $r, $r;\n",
    "\tbmsk.wrap.b32 $r, $r, $r;\n",
    "\tand.b32 %f0, $r, 31;\n\tfns.b32 $r, $r, %f0, 3;\n",
    "\tvabsdiff2.u32.u32.u32 $r, $r, $r, $r;\n\tvabsdiff2.u32.u32.u32.add $r, $r, $r, $r;\n",
    "\tvabsdiff4.u32.u32.u32 $r, $r, $r, $r;\n\tvabsdiff4.u32.u32.u32.add $r, $r, $r, $r;\n",
    /* atomics whose old value nobody else changes */
    "\tatom.global.add.u32 $r, [%own_global+8], $r;\n\tatom.global.exch.b64 $d, [%own_global+16], "
    "$d;\n",
    "\tatom.global.cas.b32 $r, [%own_global+4], $r, $r;\n\tatom.global.inc.u32 $r, "
    "[%own_global+4], $r;\n",
    "\tatom.shared.max.s32 $r, [%own_shared+12], $r;\n\tatom.shared.dec.u32 $r, [%own_shared+12], "
    "$r;\n",
    "\tatom.shared.cas.b64 $d, [%own_shared+24], $d, $d;\n\tatom.shared.xor.b32 $r, "
    "[%own_shared+36], $r;\n",
    /* generic addresses */
    "\tcvt.u64.u32 %g, %own_shared;\n\tcvta.shared.u64 %g, %g;\n\tisspacep.shared $p, "
    "%g;\n\tld.b32 $r, [%g+8];\n"
    "\tst.b32 [%g+20], $r;\n",
    "\tcvta.local.u64 %g, %own_local;\n\tisspacep.global $p, %g;\n\tld.b64 $d, [%g+24];\n\tst.b32 "
    "[%g+4], $r;\n",
    "\tcvta.global.u64 %g, %own_global;\n\tisspacep.global $p, %g;\n\tcvta.to.global.u64 %g, %g;\n"
    "\tld.global.b32 $r, [%g+12];\n",
    "\tmapa.shared::cluster.u32 %f0, %own_shared, 0;\n\tgetctarank.shared::cluster.u32 $r, %f0;\n",
    /* ways of loading */
    "\tcp.async.ca.shared.global [%own_shared+16], [%in+32], 8;\n\tcp.async.wait_all;\n",
    "\tcp.async.cg.shared.global [%own_shared+32], [%in+16], "
    "16;\n\tcp.async.commit_group;\n\tcp.async.wait_group 0;\n",
    "\tldu.global.b32 $r, [%in+8];\n",
    "\tprefetch.global.L2 [%own_global];\n\tcvta.global.u64 %g, %in;\n\tprefetchu.L1 [%g];\n",
    "\tand.b64 %g, %own_global, -128;\n\tapplypriority.global.L2::evict_normal [%g], 128;\n",
    "\tcreatepolicy.fractional.L2::evict_last.b64 %g, 1.0;\n"
    "\tld.global.L2::cache_hint.b32 $r, [%own_global+40], %g;\n",
    /* order and waiting */
    "\tst.volatile.global.b32 [%own_global+4], "
    "$r;\n\tmembar.cta;\n\tmembar.gl;\n\tld.volatile.global.b32 $r, [%own_global+4];\n",
    "\tst.relaxed.gpu.global.b32 [%own_global+8], $r;\n\tfence.acq_rel.gpu;\n\tfence.sc.cta;\n"
    "\tld.acquire.gpu.global.b32 $r, [%own_global+8];\n",
    "\tbarrier.sync 1;\n\tbarrier.sync.aligned 2, 64;\n",
    "\tmbarrier.init.shared.b64 [%own_shared+56], 1;\n\tmbarrier.arrive.shared.b64 %g, "
    "[%own_shared+56];\n"
    "\tmbarrier.test_wait.shared.b64 $p, [%own_shared+56], %g;\n\tmbarrier.inval.shared.b64 "
    "[%own_shared+56];\n"
    "\tst.shared.b64 [%own_shared+56], $d;\n",
    "\tnanosleep.u32 20;\n\tpmevent "
    "1;\n\tgriddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;\n",
    /* where to go on */
    "\t{\n\t.param .b32 first, second, sum;\n\tst.param.b32 [first], $r;\n\tst.param.b32 [second], "
    "$r;\n"
    "\tcall (sum), mix, (first, second);\n\tld.param.b32 $r, [sum];\n\t}\n",
    "\tand.b32 %f0, $r, 3;\n$T$n: .branchtargets $A$n, $B$n, $C$n, $B$n;\n\tbrx.idx %f0, $T$n;\n"
    "$A$n:\n\tadd.u32 $r, $r, 1;\n\tbra $E$n;\n$B$n:\n\txor.b32 $r, $r, $r;\n\tbra "
    "$E$n;\n$C$n:\n\tmov.b32 $r, $r;\n$E$n:\n",
};

enum { COUNT = sizeof statements / sizeof *statements };

size_t statement_count(void)
{
    return COUNT;
}

const char *statement_at(size_t index)
{
    return index < COUNT ? statements[index] : 0;
}
