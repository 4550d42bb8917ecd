package import Bluetooth
package import Model

/// The events of one room, or of one device, by run.
package struct BuildingHistory: Sendable {
  /// The events of one run.
  package struct Chapter: Sendable {
    package var run: RunStarted
    /// The events that concern the room or device, in order.
    package var events: [RunEvent]
  }

  /// The runs that have such events, in the order in which they began.
  package var chapters: [Chapter]

  /// The history of a room: its events, and the sightings and link releases of every device that was bound to
  /// it.
  package init(of room: RoomID, in archive: BuildingArchive) {
    let devices = Set(
      archive.runs.flatMap { $0.record.events }.compactMap { event -> BluetoothAddress? in
        if case .bindingCommitted(let fact) = event.fact, fact.room == room { fact.address } else { nil }
      })
    self.init(archive) { event in
      switch event.fact {
      case .deviceSighted(let fact): devices.contains(fact.address)
      case .linkReleased(let fact): devices.contains(fact.address)
      case .bondRemoved(let fact): devices.contains(fact.address)
      default: event.fact.room == room
      }
    }
  }

  /// The history of a device: the events that name its address, and the events of its room while an attempt
  /// at the device is the newest attempt of that room in the run.
  package init(of device: BluetoothAddress, in archive: BuildingArchive) {
    var current: [RoomID: BluetoothAddress] = [:]
    self.init(archive) { event in
      if case .attemptStarted(let fact) = event.fact { current[fact.room] = fact.address }
      if case .runStarted = event.fact { current = [:] }
      if let address = event.fact.address { return address == device }
      return event.fact.room.map { current[$0] == device } ?? false
    }
  }

  private init(_ archive: BuildingArchive, _ isWanted: (RunEvent) -> Bool) {
    chapters = archive.runs.compactMap { run in
      let events = run.record.events.filter(isWanted)
      guard let started = run.started, !events.isEmpty else {
        return nil
      }
      return Chapter(run: started, events: events)
    }
  }
}
