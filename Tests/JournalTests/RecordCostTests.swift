import Bluetooth
import Foundation
import Model
import ProcessorTime
import Testing

@testable import Journal

@Suite("What it costs to read a record")
struct RecordCostTests {
  /// Runs, each with the names of those that it knows.
  private func archive(_ runs: [(id: String, after: [String])]) -> BuildingArchive {
    BuildingArchive(
      runs: runs.map { run in
        let events = Run(run.id, after: run.after, rooms: [kitchen]).events
        return .init(id: run.id, journal: "", record: JournalRecord(events: events))
      })
  }

  /// The state after each run as the runs that were added to it, and how many were added in all.
  private func states(of archive: BuildingArchive) -> (after: [String: [String]], added: Int) {
    var (after, added): ([String: [String]], Int) = ([:], 0)
    archive.forEachRun(
      [String](),
      adding: {
        $0.append($1.id); added += 1
      }
    ) { after[$0.id] = $1 }
    return (after, added)
  }

  @Test("the states after 200 successive runs add each run once")
  func chain() {
    let runs = (100..<300).map { (id: "\($0)", after: $0 == 100 ? [] : ["\($0 - 1)"]) }
    let archive = archive(runs)
    let states = states(of: archive)
    #expect(states.added == 200)
    #expect(
      archive.runs.allSatisfy { states.after[$0.id] == archive.before($0.id).adding($0).runs.map(\.id) })
  }

  @Test("two laptops with 100 runs each add each run once, and the run that joins them adds all again")
  func laptops() {
    let runs = ["a", "b"].flatMap { laptop in
      (100..<200).map { (id: "\(laptop)\($0)", after: $0 == 100 ? [] : ["\(laptop)\($0 - 1)"]) }
    }
    // A copy of the record was taken after a150.
    let others = [("c1", ["a199", "b199"]), ("c2", ["c1"]), ("d", ["a150"])]
    let archive = archive(runs + others.map { (id: $0.0, after: $0.1) })
    let states = states(of: archive)
    #expect(states.added == 200 + 201 + 1 + 1)
    #expect(
      archive.runs.allSatisfy { states.after[$0.id] == archive.before($0.id).adding($0).runs.map(\.id) })
  }

  @Test("the fold of a run of 4 times as many rooms takes less than 9 times as long")
  func rooms() {
    func duration(_ count: Int) -> Duration {
      let rooms = (0..<count).map { number -> PlannedRoom in
        var room = kitchen
        room.room = RoomID(rawValue: "room-\(number)")
        return room
      }
      var run = Run("run", rooms: rooms)
      for (number, room) in rooms.enumerated() {
        let sensor = address(UInt64(number))
        run.add(
          .deviceSighted(.init(address: sensor, adapter: Events.adapter, profile: room.profile)),
          .bindingCommitted(.init(room: room.room, address: sensor, basis: .address)),
          .saveSubmitted(.init(room: room.room, attempt: 1, address: sensor)))
      }
      let events = run.events
      return (0..<3).map { _ in
        processorTime { #expect(BuildingRecord([events]).lastKnown.rooms.count == count) }
      }.min() ?? .zero
    }
    let (few, many) = (duration(500), duration(2000))
    #expect(many < few * 9, "\(few), \(many)")
  }
}
