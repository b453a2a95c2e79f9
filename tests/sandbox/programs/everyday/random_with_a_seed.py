import random
random.seed(42)
a = [random.randint(1, 100) for _ in range(3)]
rng = random.Random(7)
xs = list(range(5))
rng.shuffle(xs)
result = [a, xs, rng.choice("abc"), rng.sample(range(10), 3), round(rng.uniform(0, 1), 6), random.choices("ab", weights=[1, 3], k=4), round(random.gauss(0, 1), 6)]
