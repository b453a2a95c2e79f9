name, n, x, big = "Ann", 42, 3.14159, 1234567
d = {"k": [1, 2]}
width, prec = 10, 2
result = [f"{name:>8}|{name:<8}|{name:^8}|{name:*^9}", f"{n:05d} {n:+} {n:x} {n:#b} {n:o} {n:e}", f"{x:.2f} {x:8.3f} {x:.1%} {x:g}", f"{big:,} {big:_}", f"{n=} {x=:.1f}", f"{d['k'][1]} {name!r:>7} {name.upper()}",
    f"{x:{width}.{prec}f}", "{} {}".format(1, 2), "{0}{1}{0}".format("a", "b"), "{a:>4}|{b:.3f}".format(a=1, b=2), "%s %d %5.1f %r %%" % ("s", 3, 2.5, "q"), "%(a)s-%(b)03d" % {"a": 1, "b": 2}, "%s" % [1], "%5s|%-5s|" % ("a", "b"),
    "{{}} {}".format(1), f"{{{n}}}", "{:>{w}}".format("z", w=4), format(n, "b"), format(x, ".1f"), f"{True} {None} {[1, 'a']}", f"{'nested ' + f'{n}'}", "{!r}".format("a"), f"{n:>5}" f"{n:<5}", str(1e21), repr(0.1 + 0.2), f"{1e-7}", f"{2**70}"]
