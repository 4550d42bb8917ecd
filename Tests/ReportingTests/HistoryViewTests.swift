import Bluetooth
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("The history of a room")
struct HistoryViewTests {
  private static let runs: [(run: RunStarted, events: [RunEvent])] = {
    var first = RunScript()
    let room = PlannedRoom.sample("a", "Attic", minor: 1, address: .sensor(1))
    first.begin([room])
    first.end(room, .failed, .linkLost(FailedStep(.write)), attempts: 2)
    var second = RunScript()
    second.begin([room])
    second.provision(room, .sensor(1))
    var third = RunScript()
    third.begin([room])
    third.append(.attemptStarted(.init(room: "a", address: .sensor(1), adapter: .first, number: 1)))
    return [first, second, third].compactMap { script in
      guard case .runStarted(let run)? = script.events.first?.fact else { return nil }
      return (run, script.events)
    }
  }()

  @Test("the history has a row for each run with its outcome and reason")
  func table() throws {
    let lines = HistoryView.table(Self.runs, width: nil)
    #expect(lines.count == 4)
    #expect(lines[0].split(separator: " ").first == "WHEN")
    #expect(lines[1].contains("failed") && lines[1].contains("link lost, 2 attempts"), "\(lines)")
    #expect(
      lines[2].contains("provisioned") && lines[2].contains("beacon received after the save"), "\(lines)")
    #expect(
      lines[3].contains("no outcome") && lines[3].contains("run killed or in progress: 1 attempt"), "\(lines)"
    )
    #expect(lines[1].hasSuffix("20261121T090000Z-laptop-7f3a"))
  }

  @Test("a run that did not select the room, but received its device, was not killed")
  func notSelected() throws {
    var other = RunScript()
    var room = PlannedRoom.sample("a", "Attic", minor: 1, address: .sensor(1))
    room.exclusion = Exclusion(.deselected)
    other.begin([room])
    other.append(
      .deviceSighted(.init(address: .sensor(1), adapter: .first, profile: "robo-sensor", identity: 1)))
    let run = try #require(Self.runs.first).run
    guard case .runStarted(let started)? = other.events.first?.fact else { return }
    let lines = HistoryView.table(Self.runs + [(started, other.events)], width: nil)
    #expect(run.rooms.count == 1 && lines.count == 5)
    #expect(lines[4].contains("skipped") && !lines[4].contains("killed"), "\(lines)")
  }

  @Test("the history omits columns that do not fit the terminal", arguments: [40, 60, 80, 100, 160])
  func width(_ width: Int) {
    let lines = HistoryView.table(Self.runs, width: width)
    #expect(lines.count == 4 && lines.allSatisfy { $0.columns <= width }, "\(lines)")
    #expect(lines[1].contains("apply") && lines[1].contains("failed") || width < 60, "\(lines)")
  }

  @Test("shows every event in local time, and the distance from UTC once for each run")
  func full() throws {
    let (run, events) = try #require(Self.runs.first)
    let lines = HistoryView.lines(run, events, times: LocalTime { _ in 3600 })
    #expect(lines[0] == "20261121T090000Z-laptop-7f3a: apply on laptop, times in UTC+01:00")
    #expect(lines[1].hasPrefix("  2026-11-21 10:00:00.000 run "), "\(lines)")
    #expect(HistoryView.lines(run, events)[1].hasPrefix("  2026-11-21 09:00:00.000 run "))
    #expect(lines.count > events.count)
  }
}
