import Bluetooth
import Model

extension ApplyPlan {
  /// The plan that these matches are.
  init(_ request: ApplyRequest, _ matches: [RoomID: Match], heardIn air: AirLedger = AirLedger(profiles: []))
  {
    let rooms = request.building.rooms.map { room in
      PlannedStep(
        room, request.excluded[room.id], matches[room.id], request.known.device(of: room)?.address, air)
    }
    let chosen = request.building.rooms.filter { request.excluded[$0.id]?.cause != .deselected }
    self.init(
      building: request.building.id, manifestSHA256: request.manifestSHA256,
      passwords: request.known.seal.flatMap { SealedPasswords(of: chosen, $0) }, rooms: rooms)
  }
}

extension PlannedStep {
  fileprivate init(
    _ room: Room, _ exclusion: Exclusion?, _ match: Match?, _ device: BluetoothAddress?, _ air: AirLedger
  ) {
    self.init(
      room: room.id, name: room.name, action: .exclude, registered: room.isRegistered ? true : nil,
      exclusion: exclusion)
    switch match {
    case .device(let device, let basis):
      (action, address, self.basis) = (.provision, device, basis)
    case .done(let evidence, _):
      (action, address, self.evidence) = (.done, evidence.address, evidence)
    case .awaited:
      (action, address) = (.await, device)
    case .stopped(let outcome, let reason):
      (action, address, self.outcome, self.reason) = (.stop, device, outcome, reason)
    case nil:
      break
    }
    let sighting = address.flatMap { air[$0] }
    heard = sighting != nil
    rssi = sighting?.rssi
  }
}
