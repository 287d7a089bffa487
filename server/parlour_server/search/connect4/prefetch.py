"""One instruction that numba doesn't offer: fetch memory that is wanted soon, without waiting for it."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Have the number at `index` brought into the cache; it will be read in all likelihood."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        known: Any = cgutils.get_or_insert_function
        function = known(builder.module, kind, "llvm.prefetch.p0i8")
        # To read, to be kept, data.
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, index), generate
