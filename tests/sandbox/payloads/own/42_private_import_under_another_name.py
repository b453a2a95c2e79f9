# kind: private import under another name | must: error PolicyViolation
from asyncio import _members as m
return "ESCAPED"
