"""Has the kernel use these connection parameters for these sensors, through the management socket of Bluetooth:
`conn_params.py MIN MAX ADDRESS…`, in units of 1.25 ms. Prints the kernel's answer: 0 is success, 20 is permission denied."""

import ctypes
import os
import socket
import struct
import sys

LOAD_CONNECTION_PARAMETERS = 0x0035
PUBLIC = 1
CHANNEL_CONTROL, NO_ADAPTER = 3, 0xFFFF

libc = ctypes.CDLL(None, use_errno=True)
control = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
place = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_ADAPTER, CHANNEL_CONTROL)  # Python cannot name the channel.
if libc.bind(control.fileno(), place, len(place)) != 0:
    sys.exit(f"bind: {os.strerror(ctypes.get_errno())}")
low, high = int(sys.argv[1]), int(sys.argv[2])
entries = b"".join(
    bytes.fromhex(address.replace(":", ""))[::-1] + struct.pack("<BHHHH", PUBLIC, low, high, 0, 42)
    for address in sys.argv[3:]
)
body = struct.pack("<H", len(sys.argv) - 3) + entries
os.write(control.fileno(), struct.pack("<HHH", LOAD_CONNECTION_PARAMETERS, 0, len(body)) + body)
control.settimeout(5)
while True:
    event = os.read(control.fileno(), 512)
    kind, _, _ = struct.unpack_from("<HHH", event)
    if kind in (1, 2) and struct.unpack_from("<H", event, 6)[0] == LOAD_CONNECTION_PARAMETERS:
        print(event[8])
        break
