public import Bluetooth
public import Model

/// All that the record has of one room, or of one device, run by run.
public struct BuildingHistory: Sendable {
  /// What happened in one run.
  public struct Chapter: Sendable {
    /// The run.
    public var run: RunStarted
    /// Its events about the room or device, in order.
    public var events: [RunEvent]
  }

  /// The runs that have something, in the order in which they began.
  public var chapters: [Chapter]

  /// The history of a room: its events, and when its devices were heard.
  public init(of room: RoomID, in archive: BuildingArchive) {
    let devices = Set(
      archive.runs.flatMap { $0.record.events }.compactMap { event -> BluetoothAddress? in
        if case .bindingCommitted(let fact) = event.fact, fact.room == room { fact.address } else { nil }
      })
    self.init(archive) { event in
      switch event.fact {
      case .deviceSighted(let fact): devices.contains(fact.address)
      case .linkReleased(let fact): devices.contains(fact.address)
      default: event.fact.room == room
      }
    }
  }

  /// The history of a device: what names it, and what happened in the attempts at it.
  public init(of device: BluetoothAddress, in archive: BuildingArchive) {
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
