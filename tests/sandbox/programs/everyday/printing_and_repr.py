class A:
    pass
class B:
    def __str__(self): return "str-b"
class C:
    def __repr__(self): return "repr-c"
print("a", 1, [2], sep="-", end="!\n")
print()
print(*[1, 2, 3])
print("x", None, flush=True)
result = [str(B()), repr(C()), str(C()), f"{B()}", f"{C()!s}", str([C(), "q"]), repr({"a": (1,)}), str({1}), repr("it's"), repr('say "hi"'), str(b"x"), repr(None), str(1.0), repr(1e100), str(True), repr(range(3)), str(type(1)), repr(int), str(ValueError("v")), repr(KeyError("k")), str(KeyError("k")), repr(float("nan")), repr(frozenset()), repr(set()), repr(...), repr((1,)), str(A.__name__), repr("\n\t"), ascii("é"), repr(slice(1, 2))]
