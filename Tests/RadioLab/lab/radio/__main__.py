"""The radio as a process: `python -m lab.radio SOCKET SEED [PROPAGATION]`."""

import asyncio
import gc
import json
import logging
import sys

from .control import serve

if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(name)s %(message)s")
    gc.freeze()
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}))
