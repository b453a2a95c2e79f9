import json
data = {"a": [1, 2.5, None, True], "b": {"c": "é\n"}, "d": []}
text = json.dumps(data)
back = json.loads(text)
reply = 'Here you go:\n```json\n{"verdict": "ok", "score": 0.9}\n```'
start, end = reply.index("{"), reply.rindex("}") + 1
try:
    json.loads("{bad}")
except json.JSONDecodeError as e:
    err = [e.msg, e.lineno, e.colno]
except ValueError:
    err = "value"
result = [back == data, json.dumps(data, indent=2, sort_keys=True), json.dumps("é", ensure_ascii=False), json.loads(reply[start:end])["score"], err, json.dumps({1: 2, None: 3}), json.dumps([1, 2], separators=(",", ":")), json.dumps({"s": {1}}, default=list), json.loads("1e3")]
