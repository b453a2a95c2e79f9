import itertools as it
from itertools import groupby, chain, combinations, accumulate, zip_longest, islice, product, permutations
rows = [("a", 1), ("a", 2), ("b", 3)]
result = [{k: [v for _, v in g] for k, g in groupby(rows, key=lambda r: r[0])}, list(chain([1], [2, 3])), list(chain.from_iterable([[1], [2]])), list(combinations("abc", 2)), list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b)), list(zip_longest([1], [2, 3], fillvalue=0)),
    list(islice(it.count(5), 3)), list(product([0, 1], repeat=2)), len(list(permutations([1, 2, 3]))), list(it.takewhile(lambda v: v < 3, [1, 2, 5, 1])), list(it.dropwhile(lambda v: v < 3, [1, 2, 5, 1])), list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.pairwise([1, 2, 3])), list(it.repeat("x", 2)), list(it.compress("abc", [1, 0, 1])), list(it.filterfalse(lambda v: v % 2, range(4))), [list(t) for t in it.tee([1, 2])], list(islice(it.cycle("ab"), 3))]
