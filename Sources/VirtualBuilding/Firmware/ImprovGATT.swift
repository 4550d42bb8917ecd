package import Bluetooth

/// The names, numbers and frames of an Improv device, defined independently of the engine's family.
package enum ImprovGATT {
  package static let service: BluetoothUUID = "00467768-6228-2272-4663-277478268000"
  /// Read and notify: one byte.
  package static let state: BluetoothUUID = "00467768-6228-2272-4663-277478268001"
  /// Read and notify: one byte.
  package static let error: BluetoothUUID = "00467768-6228-2272-4663-277478268002"
  /// Write: a frame, in one write or several.
  package static let command: BluetoothUUID = "00467768-6228-2272-4663-277478268003"
  /// Read and notify: a frame.
  package static let result: BluetoothUUID = "00467768-6228-2272-4663-277478268004"
  /// Read: one byte.
  package static let capabilities: BluetoothUUID = "00467768-6228-2272-4663-277478268005"
  /// State, capabilities, four zeros.
  package static let data: BluetoothUUID = "00004677-0000-1000-8000-00805F9B34FB"

  /// The time that a join takes [assumed], and after which it is given up.
  static let join = Duration.seconds(2)...(.seconds(7))
  static let joinLimit = Duration.seconds(30)
  static let lateLimit = Duration.seconds(180)
  /// How long the device accepts commands after its button was pressed.
  static let authorized = Duration.seconds(60)
  /// When the service ends after a success: 1 s in firmware before 2025.
  static let farewell = Duration.seconds(10)
  static let shortFarewell = Duration.seconds(1)
  /// How long a scan for networks takes [assumed].
  static let scan = Duration.seconds(3)

  /// A frame with this data.
  static func frame(_ command: UInt8, _ data: [UInt8]) -> [UInt8] {
    var bytes = [command, UInt8(data.count)]
    bytes.append(contentsOf: data)
    var sum = 0
    for byte in bytes { sum += Int(byte) }
    bytes.append(UInt8(sum % 256))
    return bytes
  }

  /// Strings, each after its length; those that do not fit are left out.
  static func list(_ strings: [String]) -> [UInt8] {
    var data: [UInt8] = []
    for string in strings {
      let bytes = Array(string.utf8)
      guard data.count + 1 + bytes.count <= 255 else { break }
      data.append(UInt8(bytes.count))
      data += bytes
    }
    return data
  }

  /// The command that gives a device this network.
  static func join(_ ssid: [UInt8], _ password: [UInt8]) -> [UInt8] {
    frame(1, [UInt8(ssid.count)] + ssid + [UInt8(password.count)] + password)
  }
}
