import Bluetooth
import Families
import Foundation
import Model
import Reporting
import Session
import Waiting

/// A connection to one device, for commands that look into it and write no setting.
struct DeviceLink: Sendable {
  let setup: Radio.Setup
  let radio: RadioOptions
  let isSimulated: Bool
  /// The time that a connection may take; most stacks have no limit of their own.
  private static let connectLimit = Duration.seconds(15)
  /// The time that the stack may take to end a link.
  private static let endLimit = Duration.seconds(5)

  /// What was received of the device before it was connected to.
  struct Sighting: Sendable {
    let adapter: Adapter
    let advertisement: Advertisement
    /// Its family, and whether it waits; nil where its advertisement does not say.
    let recognised: (profile: ProfileID, recognition: Recognition)?

    /// Its family.
    var family: (any DeviceProfile)? { recognised.flatMap { DeviceProfiles[$0.profile] } }
  }

  /// Scans until the device is received, connects to it, and ends the link after `body`, whatever became of it.
  /// - Throws: `CommandFailure` where the device was not received or not connected to; what `body` throws; the exit status
  ///   of a command that was interrupted.
  func with<Result: Sendable>(
    _ address: BluetoothAddress,
    _ body: @escaping @Sendable (any Peripheral, Sighting) async throws -> Result
  ) async throws -> Result {
    let link = OneShot<any Peripheral>()
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await Interruptions().cancelling {
          let sighting = try await search(for: address)
          let connected = try await connect(to: sighting)
          link.fulfill(connected)
          return try await body(connected, sighting)
        })
    } catch let error as CentralError {
      result = .failure(
        error.code == .cancelled ? ExitStatus.interrupted.exit : Self.failure(error, of: address))
    } catch is CancellationError {
      result = .failure(ExitStatus.interrupted.exit)
    } catch {
      result = .failure(error)
    }
    // Outside of what Ctrl-C cancels: nothing stays connected.
    if let link = link.peeked { await takeDown(link) }
    return try result.get()
  }

  /// Scans until the device is received.
  /// - Throws: `CommandFailure` when it was not in the time of `--listen`; `CentralError`.
  func search(for address: BluetoothAddress) async throws -> Sighting {
    let (adapter, claims) = try await Survey.takeAdapter(setup, radio, isSimulated: isSimulated)
    defer { withExtendedLifetime(claims) {} }
    Console.say("Scanning on \(adapter.name) for \(address)")
    let found = await race(.seconds(radio.listen), on: setup.clock) {
      () async throws(CentralError) -> Advertisement? in
      try await setup.central.listen(on: adapter.id) { (advertisements) throws(CentralError) in
        for try await advertisement in advertisements where advertisement.address == address {
          return advertisement
        }
        return nil
      }
    }
    switch found {
    case .value(let advertisement?):
      return Sighting(
        adapter: adapter, advertisement: advertisement, recognised: DeviceProfiles.recognise(advertisement))
    case .failed(let error) where error.code != .cancelled:
      throw RadioTrouble.failure(error, adapter: radio.adapter.first)
    // The time was up, or the command was interrupted: either ends the scan.
    case .value(nil) where Task.isCancelled: throw CentralError(.cancelled)
    case .value(nil), .timedOut:
      throw CommandFailure(
        .incomplete, "\(address) was not received in \(radio.listen.formatted()) s",
        cure: "Check that it has power and stand within 3 m of it. Scan for longer with --listen 30.")
    case .failed: throw CentralError(.cancelled)
    }
  }

  private func connect(to sighting: Sighting) async throws -> any Peripheral {
    let address = sighting.advertisement.address
    let raced = await race(Self.connectLimit, on: setup.clock) { () async throws(CentralError) in
      try await setup.central.connect(to: address, on: sighting.adapter.id)
    }
    switch raced {
    case .value(let link): return link
    case .failed(let error) where error.code == .cancelled: throw error
    case .failed(let error): throw Self.failure(error, of: address)
    case .timedOut: throw Self.failure(CentralError(.timedOut), of: address)
    }
  }

  /// Ends the link and makes the stack forget the device: what it has cached may be of older firmware.
  private func takeDown(_ link: any Peripheral) async {
    await link.disconnect()
    let (central, address, adapter) = (setup.central, link.address, link.adapter)
    _ = await race(Self.endLimit, on: setup.clock) { () async throws(CentralError) in
      _ = await link.disconnection()
      try await central.forget(address, on: adapter)
    }
  }

  /// What a person is told of a failure of the link.
  static func failure(_ error: CentralError, of address: BluetoothAddress) -> CommandFailure {
    let detail = error.stackText.map { " (\(OutsideWords.quoted($0)))" } ?? ""
    switch error.code {
    case .connectFailed, .timedOut, .peripheralUnknown:
      return CommandFailure(
        .incomplete, "\(address) did not accept a connection" + detail,
        cure: "Put it into provisioning mode, stand within 3 m of it, and try again.")
    case .disconnected:
      return CommandFailure(
        .incomplete, "the connection to \(address) was lost" + detail,
        cure: "Stand within 3 m of it, and try again.")
    case .servicesUnresolved, .attributeMissing, .attributeAmbiguous, .att, .notPermitted, .busy, .outOfSlots,
      .other:
      return CommandFailure(
        .incomplete, "\(address) cannot be read: \(error.code)" + detail,
        cure: "Switch it off and on, and try again.")
    case .busUnavailable, .stackUnavailable, .permissionDenied, .adapterUnavailable, .cancelled:
      return RadioTrouble.failure(error)
    }
  }
}
