import Application
import ArgumentParser
import Bluetooth
import FoundationEssentials
import Journal
import Model

/// Measures the time to read the state of a building from its record.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract:
      "Make the building's state after each run, as `report check` and `report merge --into` do, and print the times."
  )

  @Option(help: "Number of rooms of the building with many runs.")
  var rooms = 50

  func run() throws {
    print(
      "| runs | rooms | state after each run | the same, each from the first run on | fold of the record |")
    print("|---:|---:|---:|---:|---:|")
    for runs in [50, 100, 200] { print(row(runs: runs, rooms: rooms)) }
    for rooms in [1000, 2000, 4000] { print(row(runs: 1, rooms: rooms)) }
  }

  private func row(runs: Int, rooms: Int) -> String {
    let archive = archive(runs: runs, rooms: rooms)
    let continued = seconds { BuildingReports.forEachRun(in: archive) { _, _ in } }
    let alone = seconds {
      for run in archive.runs { _ = BuildingReports.make(after: run, in: archive) }
    }
    let fold = seconds { _ = archive.state.lastKnown }
    return
      "| \(runs) | \(rooms) | \([continued, alone, fold].map { "\($0.rounded(to: 2)) s" }.joined(separator: " | ")) |"
  }

  private func seconds(of body: () -> Void) -> Double {
    let start = ResourceUse.now
    body()
    return ResourceUse.now.since(start).cpu
  }

  /// Runs that each know all before them, and receive, write and finish every room.
  private func archive(runs: Int, rooms: Int) -> BuildingArchive {
    let adapter = AdapterID(BluetoothAddress(rawValue: 0x001A_7D00_0000))
    let planned = (0..<rooms).map {
      PlannedRoom(
        room: RoomID(rawValue: "room-\($0)"), name: "Room \($0)", profile: "robo-sensor", settings: [])
    }
    return BuildingArchive(
      runs: (0..<runs).map { number in
        let predecessors = number == 0 ? [] : [Predecessor(run: "run-\(number - 1)", last: "")]
        let started = RunStarted(
          run: "run-\(number)", building: "b", buildingName: "B", toolVersion: "0", host: "h",
          manifestPath: "m",
          manifestSHA256: "0", simulated: false, predecessors: predecessors, rooms: planned)
        let facts = planned.enumerated().flatMap { place, room -> [Fact] in
          let sensor = BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(place))
          return [
            .deviceSighted(.init(address: sensor, adapter: adapter, profile: room.profile)),
            .bindingCommitted(.init(room: room.room, address: sensor, basis: .address)),
            .attemptStarted(.init(room: room.room, address: sensor, adapter: adapter, number: 1)),
            .saveSubmitted(.init(room: room.room, attempt: 1, address: sensor)),
            .roomFinished(
              .init(
                room: room.room, outcome: .provisioned, address: sensor, attempts: 1, seconds: 1,
                evidence: Evidence(grade: .freshBeacon, address: sensor), settings: [])),
          ]
        }
        let events = ([.runStarted(started)] + facts).enumerated().map {
          RunEvent(sequence: $0 + 1, at: Date(timeIntervalSince1970: 0), elapsed: .zero, fact: $1)
        }
        return .init(id: "run-\(number)", journal: "", record: JournalRecord(events: events))
      })
  }
}
