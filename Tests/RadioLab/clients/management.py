"""Sends the kernel a command through Bluetooth's management socket: `management.py ADAPTER OPCODE BODY`. ADAPTER is the number
of hciN; the others are hexadecimal. Prints the status of the reply: 0 is success, 20 is permission denied."""

import ctypes
import os
import socket
import struct
import sys

CHANNEL_CONTROL, NO_ADAPTER = 3, 0xFFFF

libc = ctypes.CDLL(None, use_errno=True)
control = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
place = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_ADAPTER, CHANNEL_CONTROL)  # Python cannot name the channel.
if libc.bind(control.fileno(), place, len(place)) != 0:
    sys.exit(f"bind: {os.strerror(ctypes.get_errno())}")
adapter, opcode, body = int(sys.argv[1]), int(sys.argv[2], 16), bytes.fromhex(sys.argv[3])
os.write(control.fileno(), struct.pack("<HHH", opcode, adapter, len(body)) + body)
control.settimeout(5)
while True:
    event = os.read(control.fileno(), 512)
    kind, _, _ = struct.unpack_from("<HHH", event)
    if kind in (1, 2) and struct.unpack_from("<H", event, 6)[0] == opcode:
        print(event[8])
        break
