from concurrent.futures import ThreadPoolExecutor, as_completed, wait
def job(n):
    if n == 3:
        raise ValueError(f"bad {n}")
    return n * n
with ThreadPoolExecutor(max_workers=4) as ex:
    mapped = list(ex.map(job, [1, 2, 4]))
    futures = {ex.submit(job, n): n for n in [1, 2, 3, 2]}
    got = {}
    for f in as_completed(futures):
        n = futures[f]
        try:
            got.setdefault(n, []).append(f.result())
        except ValueError as e:
            got[n] = str(e)
    fs = [ex.submit(pow, 2, k) for k in range(3)]
    done, not_done = wait(fs)
    kw = ex.submit(dict, a=1).result()
    e = ex.submit(job, 3).exception()
result = [mapped, sorted(got.items()), sorted(f.result() for f in done), len(not_done), kw, repr(e), all(f.done() for f in fs), len(futures)]
