# kind: typing internals | must: value "contained"
import typing
got = []
for thing in (typing.List[int], typing.Optional[int], typing.Annotated[int, ask], typing.Callable, typing.TypeVar("T", bound="x"), typing.NewType("N", int)):
    for name in ("__args__", "__origin__", "__metadata__", "__bound__", "__globals__", "_name", "__reduce__", "__supertype__", "__module__", "__mro_entries__"):
        try:
            got.append("ESCAPED " + str(getattr(thing, name)))
        except AttributeError:
            pass
return got or "contained"
