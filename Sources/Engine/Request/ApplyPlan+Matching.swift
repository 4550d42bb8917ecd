import Bluetooth
import Model

extension ApplyPlan {
  /// The plan that these matches make.
  init(
    _ request: ApplyRequest, _ matches: [RoomID: Match],
    receivedIn air: AirLedger = AirLedger(families: FamilyCatalogue())
  ) {
    let lastWrites = LastWrites(request.known.lastKnown)
    let rooms = request.building.rooms.map { room in
      var step = PlannedStep(
        room, request.excluded[room.id], matches[room.id], request.known.device(of: room)?.address, air)
      if step.action == .provision, let address = step.address {
        step.settings = lastWrites.settings(toWrite: room, at: address, request.known.seal)
      }
      return step
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
    received = sighting != nil
    rssi = sighting?.rssi
  }
}

/// The last write to each device, for any room.
struct LastWrites {
  private let byDevice: [BluetoothAddress: [RoomID: LastWrite]]

  init(_ lastKnown: LastKnownBuilding) {
    var byDevice: [BluetoothAddress: [RoomID: LastWrite]] = [:]
    for (room, lastKnown) in lastKnown.rooms {
      if let lastWrite = lastKnown.lastWrite { byDevice[lastWrite.address, default: [:]][room] = lastWrite }
    }
    self.byDevice = byDevice
  }

  /// The settings that this device would get for a room, next to those of its last write.
  func settings(
    toWrite room: Room, at address: BluetoothAddress, _ seal: SecretSeal?
  ) -> [PlannedSetting] {
    let lastWrites = byDevice[address] ?? [:]
    // After a merge, records may have the same device in several rooms.
    let last = lastWrites.max { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
    let own = lastWrites[room.id]
    let isOfRoom = own.map { $0.at == last?.value.at } ?? false
    let expected = room.family.expectedSettings
    return room.settingResults(seal) { _ in .notWritten }.filter { !expected.contains($0.name) }.map {
      PlannedSetting($0, sealKey: seal?.key, over: isOfRoom ? own : last?.value, isOfRoom: isOfRoom)
    }
  }
}
