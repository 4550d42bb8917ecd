import DBus

/// The names of BlueZ's D-Bus API (its `doc/*-api.txt`).
enum Name {
  static let service: BusName = "org.bluez"
  static let root: ObjectPath = "/"
  /// The object with the methods that no adapter has.
  static let manager: ObjectPath = "/org/bluez"

  enum Interface {
    static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
    static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
    static let adapter: InterfaceName = "org.bluez.Adapter1"
    static let device: InterfaceName = "org.bluez.Device1"
    static let agentManager: InterfaceName = "org.bluez.AgentManager1"
    static let gattService: InterfaceName = "org.bluez.GattService1"
    static let gattCharacteristic: InterfaceName = "org.bluez.GattCharacteristic1"
    static let gattDescriptor: InterfaceName = "org.bluez.GattDescriptor1"

    /// The interfaces that are kept in the copy of the objects.
    static let kept: Set<InterfaceName> = [
      adapter, device, gattService, gattCharacteristic, gattDescriptor,
    ]
  }

  enum Member {
    static let getManagedObjects: MemberName = "GetManagedObjects"
    static let interfacesAdded: MemberName = "InterfacesAdded"
    static let interfacesRemoved: MemberName = "InterfacesRemoved"
    static let propertiesChanged: MemberName = "PropertiesChanged"
    static let ping: MemberName = "Ping"
    static let get: MemberName = "Get"
    static let set: MemberName = "Set"
    static let setDiscoveryFilter: MemberName = "SetDiscoveryFilter"
    static let startDiscovery: MemberName = "StartDiscovery"
    static let stopDiscovery: MemberName = "StopDiscovery"
    static let removeDevice: MemberName = "RemoveDevice"
    static let connect: MemberName = "Connect"
    static let pair: MemberName = "Pair"
    static let registerAgent: MemberName = "RegisterAgent"
    static let unregisterAgent: MemberName = "UnregisterAgent"
    static let disconnect: MemberName = "Disconnect"
    static let readValue: MemberName = "ReadValue"
    static let writeValue: MemberName = "WriteValue"
    static let startNotify: MemberName = "StartNotify"
  }

  enum Property {
    static let address = "Address"
    static let addressType = "AddressType"
    static let powered = "Powered"
    static let powerState = "PowerState"
    static let discovering = "Discovering"
    static let modalias = "Modalias"
    static let manufacturer = "Manufacturer"
    static let version = "Version"
    static let name = "Name"
    static let rssi = "RSSI"
    static let uuids = "UUIDs"
    static let manufacturerData = "ManufacturerData"
    static let serviceData = "ServiceData"
    static let connected = "Connected"
    static let servicesResolved = "ServicesResolved"
    static let paired = "Paired"
    static let bonded = "Bonded"
    static let trusted = "Trusted"
    static let blocked = "Blocked"
    static let uuid = "UUID"
    static let flags = "Flags"
    static let value = "Value"
    static let device = "Device"
    static let service = "Service"
    static let characteristic = "Characteristic"

    /// The properties that are kept in the copy of the objects.
    static let kept: Set<String> = [
      address, addressType, powered, powerState, discovering, modalias, manufacturer, version, name, rssi,
      uuids,
      connected,
      servicesResolved, paired, bonded, trusted, blocked, uuid, flags, device, service,
      characteristic,
    ]
    /// The properties that are used: those that are kept, and what is passed on at once.
    static let used = kept.union([manufacturerData, serviceData, value])
  }
}
