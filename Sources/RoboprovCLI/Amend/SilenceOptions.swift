import Application
import Model
import ArgumentParser
import Bluetooth
import Engine
import FoundationEssentials

/// Checks that a sensor that is taken out of service is not on air with its identity any more. Otherwise it
/// would be mistaken for its successor.
struct SilenceOptions: ParsableArguments {
  @Flag(help: "Do not scan for the old sensor; `apply` scans before it writes the new sensor.")
  var withoutScan = false

  @OptionGroup var radio: RadioOptions
}

extension SilenceOptions {
  /// Scans, and returns whether each device is silent; empty without a scan.
  /// - Throws: `CommandFailure` if one of them is still at work, or if a scan is impossible.
  func check(
    _ devices: [BluetoothAddress], of building: BuildingReference
  ) async throws -> [BluetoothAddress: Bool] {
    guard !withoutScan, !devices.isEmpty else { return [:] }
    let air = try await BluetoothAccess.system.joining(radio.hosts, of: building.source?.building).with {
      stack in
      try await Interruptions().cancelling {
        try await stack.scan(radio.choice, for: .seconds(radio.scanTime)).air
      }
    }
    for device in devices {
      guard let sighting = air[device], let identity = sighting.identityAtWork else {
        continue
      }
      let signal = sighting.rssi.map { " at \($0) dBm" } ?? ""
      throw CommandFailure(
        .incomplete, "\(device) is still on air with \(identity.distinction)\(signal); nothing was recorded",
        advice: "Switch it off, or put it into provisioning mode, and run the same command again.")
    }
    return Dictionary(uniqueKeysWithValues: devices.map { ($0, air[$0] == nil) })
  }
}
