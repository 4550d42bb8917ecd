import ArgumentParser
import Bluetooth
import Engine
import FoundationEssentials
import Model
import Reporting

/// Makes sure that a sensor that is taken out of service is not on air with its minor any more: its successor would
/// be taken for it.
struct SilenceOptions: ParsableArguments {
  @Flag(help: "Do not listen whether the sensor is silent; `apply` listens before it writes its successor.")
  var withoutScan = false

  @OptionGroup var radio: RadioOptions
}

extension SilenceOptions {
  /// Listens, and says whether each device is silent; nil when nobody listened.
  /// - Throws: `CommandFailure` when one of them is at work still, or nobody can listen.
  func check(_ devices: [BluetoothAddress]) async throws -> [BluetoothAddress: Bool] {
    guard !withoutScan, !devices.isEmpty else { return [:] }
    let air = try await Radio.withSystem { setup in
      try await Interruptions().cancelling {
        try await Survey.scan(setup, radio, for: .seconds(radio.scanTime), isSimulated: false).air
      }
    }
    for device in devices {
      guard let sighting = air[device], let beacon = sighting.beaconAtWork else {
        continue
      }
      let signal = sighting.rssi.map { " at \($0) dBm" } ?? ""
      throw CommandFailure(
        .incomplete, "\(device) is still on air with minor \(beacon.minor)\(signal); nothing was recorded",
        cure: "Switch it off, or put it into provisioning mode, and give the same command again.")
    }
    return Dictionary(uniqueKeysWithValues: devices.map { ($0, air[$0] == nil) })
  }
}
