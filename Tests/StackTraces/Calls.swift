import DBus
import Hex

/// A call of a scenario that cannot be made.
package struct Unplayable: Error, CustomStringConvertible {
  /// The reason.
  package var description: String
}

extension Labels {
  /// The D-Bus call for a call of the scenario.
  func message(for call: StackScenario.Call) throws -> MethodCall {
    guard let path = path(of: call.object) else {
      throw Unplayable(description: "“\(call.object)” has not been observed")
    }
    let (interface, body) = try arguments(of: call)
    guard let interface = InterfaceName(interface), let member = MemberName(call.method) else {
      throw Unplayable(description: "“\(call.method)” is not a method name")
    }
    return MethodCall(destination: "org.bluez", path: path, interface: interface, member: member, body: body)
  }

  private func arguments(of call: StackScenario.Call) throws -> (String, [DBusValue]) {
    switch call.method {
    case "StartDiscovery", "StopDiscovery": return ("org.bluez.Adapter1", [])
    case "SetDiscoveryFilter": return ("org.bluez.Adapter1", [filter(call.filter)])
    case "RemoveDevice":
      guard let device = call.device.flatMap(path(of:)) else {
        throw Unplayable(description: "`RemoveDevice` needs a known `device`")
      }
      return ("org.bluez.Adapter1", [.objectPath(device)])
    case "Connect", "Disconnect": return ("org.bluez.Device1", [])
    case "StartNotify", "StopNotify": return ("org.bluez.GattCharacteristic1", [])
    case "ReadValue": return ("org.bluez.GattCharacteristic1", [.vardict([])])
    case "WriteValue":
      let options = DBusValue.vardict([("type", .string(call.type ?? "request"))])
      return ("org.bluez.GattCharacteristic1", [.bytes(try bytes(of: call)), options])
    case "Set":
      guard let property = call.property, let on = call.on else {
        throw Unplayable(description: "`Set` needs `property` and `on`")
      }
      return (
        "org.freedesktop.DBus.Properties",
        [.string("org.bluez.Adapter1"), .string(property), .variant(.bool(on))]
      )
    default: throw Unplayable(description: "the method “\(call.method)” is unknown")
    }
  }

  private func filter(_ filter: StackScenario.Filter?) -> DBusValue {
    var entries: [(String, DBusValue)] = []
    if let transport = filter?.transport { entries.append(("Transport", .string(transport))) }
    if let again = filter?.duplicateData { entries.append(("DuplicateData", .bool(again))) }
    if let rssi = filter?.rssi { entries.append(("RSSI", .int16(rssi))) }
    return .vardict(entries)
  }

  private func bytes(of call: StackScenario.Call) throws -> [UInt8] {
    if let text = call.text { return Array(text.utf8) }
    guard let bytes = [UInt8](hex: call.hex ?? "") else {
      throw Unplayable(description: "“\(call.hex ?? "")” is not hex")
    }
    return bytes
  }
}
