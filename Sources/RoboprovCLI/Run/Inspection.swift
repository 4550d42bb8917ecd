import Bluetooth
import Families
import Hex
import Model
import Reporting
import Waiting

/// What a device has: its services, its characteristics and their values.
struct Inspection: Sendable {
  /// Version of the JSON form.
  static let schema = "roboprov/inspection/1"

  /// A service.
  struct Service: Sendable {
    let uuid: BluetoothUUID
    /// The family whose service it is; nil where it is of no known one.
    let family: ProfileID?
    let characteristics: [Characteristic]
  }

  /// A characteristic.
  struct Characteristic: Sendable {
    let uuid: BluetoothUUID
    let access: AttributeAccess
    /// What the family, or the Bluetooth SIG, says of it; nil where nothing is known.
    let title: String?
    let value: Value
  }

  /// What became of its value.
  enum Value: Sendable {
    /// It cannot be read.
    case notReadable
    /// It would be a secret: it was not read.
    case secret
    /// It was read; the settings that it holds, as the family has them.
    case bytes([UInt8], settings: [HeldSetting])
    /// Reading it failed.
    case failed(CentralError)
  }

  let device: DeviceLink.Sighting
  let services: [Service]

  /// The time that discovery may take, and a read: those of an attempt.
  private static let limits = StageTimeouts()

  /// Reads all that a device has and that is no secret.
  /// - Throws: `CentralError`.
  static func read(
    _ link: any Peripheral, _ device: DeviceLink.Sighting, on clock: any TimeSource
  ) async throws -> Inspection {
    let found = try await bounded(limits.discover, clock) { () async throws(CentralError) in
      try await link.allServices()
    }
    var services: [Service] = []
    for service in found {
      let family =
        DeviceProfiles.all.first { $0.service == service.uuid && !$0.isServiceShared }
        ?? device.family.flatMap { family in
          DeviceProfiles.all.first { $0.id == family.id && $0.service == service.uuid }
        }
      var characteristics: [Characteristic] = []
      for characteristic in service.characteristics {
        let description = family?.attribute(characteristic.uuid)
        characteristics.append(
          Characteristic(
            uuid: characteristic.uuid, access: characteristic.access,
            title: description?.title ?? AssignedNumbers.characteristic(characteristic.uuid),
            value: try await value(of: characteristic, description, link, clock)))
      }
      services.append(Service(uuid: service.uuid, family: family?.id, characteristics: characteristics))
    }
    return Inspection(device: device, services: services)
  }

  private static func value(
    of characteristic: RemoteCharacteristic, _ description: AttributeDescription?, _ link: any Peripheral,
    _ clock: any TimeSource
  ) async throws(CentralError) -> Value {
    if description?.isSecret == true { return .secret }
    guard characteristic.access.contains(.read) else { return .notReadable }
    do throws(CentralError) {
      let bytes = try await bounded(limits.read, clock) { () async throws(CentralError) in
        try await link.read(characteristic)
      }
      return .bytes(bytes, settings: description?.decode(bytes) ?? [])
    } catch {
      switch error.code {
      case .cancelled, .disconnected, .busUnavailable, .stackUnavailable, .adapterUnavailable: throw error
      default: return .failed(error)
      }
    }
  }

  private static func bounded<Value: Sendable>(
    _ limit: Duration, _ clock: any TimeSource,
    _ body: @escaping @Sendable () async throws(CentralError) -> Value
  ) async throws(CentralError) -> Value {
    switch await race(limit, on: clock, body) {
    case .value(let value): return value
    case .failed(let error): throw error
    case .timedOut: throw CentralError(.timedOut)
    }
  }
}

/// Names that the Bluetooth SIG assigned (Assigned Numbers, 3.4 and 3.8), of what sensors have besides their own services.
enum AssignedNumbers {
  /// What a service is.
  static func service(_ uuid: BluetoothUUID) -> String? { services[uuid] }

  /// What a characteristic is.
  static func characteristic(_ uuid: BluetoothUUID) -> String? { characteristics[uuid] }

  private static let services: [BluetoothUUID: String] = [
    "1800": "Generic Access", "1801": "Generic Attribute", "180A": "Device Information", "180F": "Battery",
    "181A": "Environmental Sensing",
  ]

  private static let characteristics: [BluetoothUUID: String] = [
    "2A00": "Device Name", "2A01": "Appearance", "2A05": "Service Changed", "2A19": "Battery Level",
    "2A23": "System ID", "2A24": "Model Number", "2A25": "Serial Number", "2A26": "Firmware Revision",
    "2A27": "Hardware Revision", "2A28": "Software Revision", "2A29": "Manufacturer Name",
    "2A6E": "Temperature",
    "2A6F": "Humidity", "2B29": "Client Supported Features", "2B2A": "Database Hash",
  ]
}
