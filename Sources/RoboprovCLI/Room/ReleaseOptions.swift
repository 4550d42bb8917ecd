import Application
import Host
import Model
import ArgumentParser
import Bluetooth
import Engine
import FoundationEssentials

/// How devices are taken out of service, and why.
struct ReleaseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The reason, for the record.", valueName: "text"))
  var reason: String?

  @Flag(help: "Do not scan for the old device; `apply` scans before it writes the new device.")
  var withoutScan = false

  @OptionGroup var radio: RadioOptions
}

extension ReleaseOptions {
  /// The facts of the release of a room's devices, which must not be on air with its identity any more: they would be mistaken
  /// for their successor.
  /// - Throws: `CommandFailure` if one of them is still at work, or if a scan is impossible.
  func facts(
    _ devices: [BluetoothAddress], _ cause: BindingReleased.Cause, successor: BluetoothAddress? = nil,
    in amendment: RoomAmendment
  ) async throws -> [Fact] {
    let (silent, adapters) = try await search(for: devices, in: amendment)
    return devices.map { device in
      .bindingReleased(
        .init(
          room: amendment.room, address: device, cause: cause, reason: reason, silent: silent[device],
          adapters: adapters, successor: successor))
    }
  }

  /// Scans, and returns whether each device of a room is silent, and the adapters that scanned; empty without a scan, and
  /// without the adapter that last proved the room.
  private func search(
    for devices: [BluetoothAddress], in amendment: RoomAmendment
  ) async throws -> (silent: [BluetoothAddress: Bool], adapters: [AdapterScan]?) {
    guard !withoutScan, !devices.isEmpty else { return ([:], nil) }
    let building = amendment.base.building.source?.building
    let log = AirLog()
    let adapters = try await BluetoothAccess.system.joining(radio.hosts, of: building).with {
      stack in
      try await Interruptions().cancelling {
        let scans = try await stack.scan(
          radio.choice, for: .seconds(radio.scanTime), of: building, into: [log])
        // Half a search shows no silence.
        if Task.isCancelled { throw ExitStatus.interrupted }
        return scans
      }
    }
    let air = await log.air
    for device in devices {
      guard let sighting = air[device], let identity = sighting.identityAtWork else {
        continue
      }
      let signal = sighting.strongest.rssi.map { " at \($0) dBm" } ?? ""
      throw CommandFailure(
        .incomplete, "\(device) is still on air with \(identity.distinction)\(signal); nothing was recorded",
        advice: "Switch it off, or put it into provisioning mode, and run the same command again.")
    }
    if let unused = amendment.known?.prover(besides: adapters) {
      Console.say(
        "roboprov: warning: \(unused), which received it last, did not scan; the record does not call it silent"
      )
      return ([:], adapters)
    }
    return (Dictionary(uniqueKeysWithValues: devices.map { ($0, air[$0] == nil) }), adapters)
  }
}
