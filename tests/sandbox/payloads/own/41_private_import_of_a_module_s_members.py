# kind: private import of a module's members | must: error PolicyViolation
from json import _members
return "ESCAPED"
