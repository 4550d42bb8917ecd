package import Bluetooth
package import Model
import Waiting

/// The services and characteristics of a device, and their values.
package struct Inspection: Sendable {
  package struct Service: Sendable {
    let uuid: BluetoothUUID
    /// The title of the device family that has the service, or its name by the Bluetooth SIG; nil if unknown.
    let name: String?
    let characteristics: [Characteristic]
  }

  struct Characteristic: Sendable {
    let uuid: BluetoothUUID
    let access: AttributeAccess
    /// Its name in the family or by the Bluetooth SIG; nil if unknown.
    let title: String?
    let value: Value
  }

  package enum Value: Sendable {
    /// The characteristic is not readable.
    case notReadable
    /// The value is a secret and was not read.
    case secret
    /// The value, and the settings that it holds by the family's description.
    case bytes([UInt8], settings: [HeldSetting])
    /// Reading it failed.
    case failed(CentralError)
  }

  let device: DeviceLink.Sighting
  let services: [Service]

  /// The timeouts for discovery and reads, the same as in an attempt.
  private static let limits = StageTimeouts()

  /// Reads every value that is not a secret.
  /// - Throws: `CentralError`.
  package static func read(
    _ link: any Peripheral, _ device: DeviceLink.Sighting, as families: FamilyCatalogue,
    on clock: any TimeSource
  ) async throws -> Inspection {
    let found = try await bounded(limits.discover, clock) { () async throws(CentralError) in
      try await link.allServices()
    }
    var services: [Service] = []
    for service in found {
      let family =
        families.all.first { $0.service == service.uuid && !$0.isServiceShared }
        ?? device.family.flatMap { $0.services.contains(service.uuid) ? $0 : nil }
        ?? families.all.first { $0.services.contains(service.uuid) && !$0.isServiceShared }
      var characteristics: [Characteristic] = []
      for characteristic in service.characteristics {
        let description = family?.characteristic(characteristic.uuid)
        characteristics.append(
          Characteristic(
            uuid: characteristic.uuid, access: characteristic.access,
            title: description?.title ?? AssignedNumbers.characteristic(characteristic.uuid),
            value: try await value(of: characteristic, description, family, link, clock)))
      }
      services.append(
        Service(
          uuid: service.uuid, name: AssignedNumbers.service(service.uuid) ?? family?.title,
          characteristics: characteristics))
    }
    return Inspection(device: device, services: services)
  }

  private static func value(
    of characteristic: RemoteCharacteristic, _ description: CharacteristicDescription?,
    _ family: DeviceFamily?,
    _ link: any Peripheral, _ clock: any TimeSource
  ) async throws(CentralError) -> Value {
    if let family, let description, family.holdsSecret(description) { return .secret }
    guard characteristic.access.contains(.read) else { return .notReadable }
    do throws(CentralError) {
      let bytes = try await bounded(limits.read, clock) { () async throws(CentralError) in
        try await link.read(characteristic)
      }
      return .bytes(bytes, settings: description.flatMap { family?.held($0, bytes) } ?? [])
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

/// Names from the Bluetooth SIG (Assigned Numbers, 3.4 and 3.8) for services and characteristics that sensors
/// have besides their own.
enum AssignedNumbers {
  static func service(_ uuid: BluetoothUUID) -> String? { services[uuid] }

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
