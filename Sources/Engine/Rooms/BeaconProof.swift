import Bluetooth
import Model

/// The beacon that proved a room's device in this run, kept so that a later sighting can contradict it. Pure.
struct BeaconProof: Hashable, Sendable {
  /// The address that sent it.
  let address: BluetoothAddress
  /// The device of the room.
  let device: BluetoothAddress
  let identity: DeviceIdentity
  let adapter: AdapterID
  let at: MonotonicInstant

  /// What shows that the address no longer sends this identity, or that a second device sends with it; nil if the
  /// advertisement fits the proof.
  ///
  /// A device that is rewritable may still be received with its earlier identity, so a single sighting shows
  /// nothing of it.
  /// - Parameters:
  ///   - sent: the identity in the advertisement.
  ///   - alternation: two sightings of the address that no single device explains.
  func contradiction(
    by advertisement: Advertisement, with sent: DeviceIdentity?, of family: DeviceFamily,
    _ alternation: Contradiction?
  ) -> Contradiction? {
    guard advertisement.address == address else { return nil }
    if let alternation { return alternation }
    // Adapters report with different delays: a report may be older than the proof.
    guard !family.lifecycle.isRewritable, at.duration(to: advertisement.receivedAt) >= Alternation.delay
    else { return nil }
    let contradicts =
      sent.map { $0 != identity } ?? (family.recognise(advertisement) == .awaitingProvisioning)
    guard contradicts else { return nil }
    return Contradiction(
      address, StateSighting(adapter: adapter, identity: identity),
      StateSighting(adapter: advertisement.adapter, identity: sent))
  }
}

extension RoomFinished {
  /// The outcome once its proof does not count: `unconfirmed` if this run wrote the device, else `ambiguous`. Each
  /// setting has the state that the session showed.
  func withdrawn(device: BluetoothAddress, _ contradiction: Contradiction) -> RoomFinished {
    var room = self
    room.address = device
    guard outcome != .alreadyProvisioned else {
      (room.outcome, room.evidence) = (.ambiguous, nil)
      room.reason = .contradictorySightings(contradiction, nil)
      for index in settings.indices { room.settings[index].state = .notWritten }
      return room
    }
    let isAcknowledged = evidence?.grade != .freshBeaconUnacknowledged
    room.outcome = .unconfirmed
    room.evidence = isAcknowledged ? Evidence(grade: .savedStatus, address: device) : nil
    room.reason = .contradictorySightings(contradiction, SaveResponse())
    for index in settings.indices where settings[index].state == .proved {
      room.settings[index].state = isAcknowledged ? .acknowledged : .written
    }
    return room
  }
}
