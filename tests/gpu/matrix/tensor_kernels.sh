#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the kernels of tools/gpu-tensors.c: one block copies one box. load_1 .. load_5, image_3 .. image_5: parameters are the
# description, coordinates, offsets, bytes, and where shared memory goes to; store_1 .. store_5, and add_1 .. add_5 and kin:
# where it comes from. The word behind the bytes tells whether the copy has come.
set -eu
list() { # COUNT PREFIX
    i=0
    while [ "$i" -lt "$1" ]; do
        printf '%s%%%s%d' "${i:+$([ "$i" -gt 0 ] && echo ', ' || true)}" "$2" "$i"
        i=$((i + 1))
    done
}
kernel() { # NAME RANK INSTRUCTION KIND
    cat <<END

.visible .entry $1(.param .align 64 .b8 map[128], .param .align 4 .b8 words[40], .param .u64 memory)
{
    .reg .b64 %map, %memory, %at;
    .reg .b32 %c<5>, %w<3>, %bytes, %buffer, %bar, %thread, %word, %turns, %here;
    .reg .b16 %o<3>;
    .reg .pred %first, %done, %more;
    mov.b64 %map, map;
    cvta.param.u64 %map, %map;
    ld.param.u64 %memory, [memory];
    ld.param.u32 %c0, [words];
    ld.param.u32 %c1, [words + 4];
    ld.param.u32 %c2, [words + 8];
    ld.param.u32 %c3, [words + 12];
    ld.param.u32 %c4, [words + 16];
    ld.param.u32 %w0, [words + 20];
    ld.param.u32 %w1, [words + 24];
    ld.param.u32 %w2, [words + 28];
    ld.param.u32 %bytes, [words + 32];
    cvt.u16.u32 %o0, %w0;
    cvt.u16.u32 %o1, %w1;
    cvt.u16.u32 %o2, %w2;
    mov.u32 %thread, %tid.x;
    mov.u32 %buffer, buffer;
    mov.u32 %bar, bar;
    setp.eq.u32 %first, %thread, 0;
END
    if [ "$4" = load ]; then
        cat <<END
    mul.lo.u32 %here, %thread, 4;
clear:
    add.u32 %word, %buffer, %here;
    st.shared.u32 [%word], 0xa5a5a5a5;
    add.u32 %here, %here, 512;
    setp.lt.u32 %more, %here, 32768;
    @%more bra clear;
    @!%first bra begun;
    mbarrier.init.shared.b64 [%bar], 1;
    fence.proxy.async;
    mbarrier.arrive.expect_tx.shared.b64 _, [%bar], %bytes;
begun:
    fence.proxy.async;
    bar.sync 0;
    @!%first bra wait;
    $3;
wait:
    mov.u32 %turns, 0;
again:
    mbarrier.try_wait.parity.shared.b64 %done, [%bar], 0;
    add.u32 %turns, %turns, 1;
    @%done bra come;
    setp.lt.u32 %more, %turns, 100000;
    @%more bra again;
come:
    bar.sync 0;
    mul.lo.u32 %here, %thread, 4;
out:
    add.u32 %word, %buffer, %here;
    ld.shared.u32 %word, [%word];
    cvt.u64.u32 %at, %here;
    add.s64 %at, %at, %memory;
    st.global.u32 [%at], %word;
    add.u32 %here, %here, 512;
    setp.lt.u32 %more, %here, 32768;
    @%more bra out;
    selp.u32 %word, 1, 0, %done;
    @%first st.global.u32 [%memory + 32768], %word;
    ret;
}
END
    else
        cat <<END
    mul.lo.u32 %here, %thread, 4;
in:
    cvt.u64.u32 %at, %here;
    add.s64 %at, %at, %memory;
    ld.global.u32 %word, [%at];
    add.u32 %turns, %buffer, %here;
    st.shared.u32 [%turns], %word;
    add.u32 %here, %here, 512;
    setp.lt.u32 %more, %here, 32768;
    @%more bra in;
    fence.proxy.async;
    bar.sync 0;
    @!%first bra end;
    $3;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    mov.u32 %word, 1;
    st.global.u32 [%memory + 32768], %word;
end:
    ret;
}
END
    fi
}
printf '.version 8.5\n.target sm_90\n.address_size 64\n.shared .align 1024 .b8 buffer[32768];\n.shared .align 8 .b64 bar;\n'
for rank in 1 2 3 4 5; do
    at="[%map, {$(list $rank c)}]"
    kernel load_$rank $rank "cp.async.bulk.tensor.${rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buffer], $at, [%bar]" load
    kernel store_$rank $rank "cp.async.bulk.tensor.${rank}d.global.shared::cta.tile.bulk_group $at, [%buffer]" store
    for operation in add min max inc dec and or xor; do
        kernel ${operation}_$rank $rank "cp.reduce.async.bulk.tensor.${rank}d.global.shared::cta.$operation.tile.bulk_group $at, [%buffer]" store
    done
    [ $rank -lt 3 ] || kernel image_$rank $rank "cp.async.bulk.tensor.${rank}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%buffer], $at, [%bar], {$(list $((rank - 2)) o)}" load
done
