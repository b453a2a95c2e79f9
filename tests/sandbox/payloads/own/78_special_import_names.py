# kind: special import names | must: error PolicyViolation
import json
from json import dumps as __getattr__
return "ESCAPED"
