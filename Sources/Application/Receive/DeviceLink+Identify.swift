package import Bluetooth
import Manifest
import Model
import Reporting
import Session

extension DeviceLink {
  /// Asks a device to show where it is: it blinks. This changes no setting.
  /// - Throws: `CommandFailure` if it was not received, or does not offer that; otherwise as `with`.
  package func identify(_ address: BluetoothAddress) async throws {
    let isOffered = try await with(address, checking: check) { peripheral, sighting in
      guard let identify = driver(of: sighting)?.identify else { return false }
      return try await ask { () async throws(CentralError) in try await identify(peripheral, stack.clock) }
    }
    guard isOffered else {
      throw CommandFailure(
        .incomplete, "\(address) does not offer to blink", advice: "Find it by its signal strength.")
    }
  }

  private func check(_ sighting: Sighting) throws {
    guard driver(of: sighting)?.identify == nil else { return }
    let words =
      sighting.family.map { "is \($0.withArticle), which cannot be made to blink" }
      ?? "does not show on air which device it is, so it is not asked to blink"
    throw CommandFailure(
      .incomplete, "\(sighting.advertisement.address) \(words)", advice: "Find it by its signal strength.")
  }
}
