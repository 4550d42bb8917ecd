"""The families that a test can use, by the names of their profiles."""

from .described import Described
from .esp_idf import EspIdf
from .firefly import Firefly, MidiKeyboard
from .improv import Improv
from .iot_design_shop import IotDesignShopBeacon
from .keyed import Keyed
from .peripheral import Peripheral
from .robo_sensor import RoboSensor
from .shelly import Shelly
from .wall_socket import WallSocket

FAMILIES: dict[str, type[Peripheral]] = {
    "robo-sensor": RoboSensor,
    "iot-design-shop": IotDesignShopBeacon,
    "firefly": Firefly,
    "midi-keyboard": MidiKeyboard,
    "described": Described,
    "esp-idf": EspIdf,
    "improv-wifi": Improv,
    "keyed": Keyed,
    "shelly": Shelly,
    "wall-socket": WallSocket,
}
