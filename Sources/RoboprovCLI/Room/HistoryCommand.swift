import Application
import ArgumentParser
import Bluetooth
import FoundationEssentials
import Glibc
import Host
import Journal
import Model
import Reporting

/// `roboprov room history`: prints the record of one room or device.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Print what each run did with a room or a device.",
    discussion: """
      roboprov room history building.yaml 'Room 312'
      roboprov room history seeblick C4:7C:8D:00:00:07 --full

      Prints one line for each run, oldest first; --full prints every event.
      """)

  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Argument(help: "The room by its id or name, or the device by its address.", completion: .room)
  var subject: String

  @Flag(help: "Print every event instead of one line for each run.")
  var full = false

  @Option(help: ArgumentHelp("The reports directory.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let reference = try BuildingReference.find(building)
    let archive = try BuildingArchive.load(reference.id, in: reports, damagedToo: true)
    let history = try history(in: archive, reference)
    switch output {
    case .text:
      if history.chapters.isEmpty { Console.say("The record has no event about \(subject.visible).") }
      if full {
        for chapter in history.chapters {
          Console.data(lines: HistoryView.lines(chapter.run, chapter.events, times: .here))
        }
      } else if !history.chapters.isEmpty {
        let screen = Screen.standardOutput
        let rows = history.chapters.map { (run: $0.run, events: $0.events) }
        Console.data(
          lines: HistoryView.table(rows, times: .here, width: screen.isTerminal ? screen.width : nil))
      }
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let document = Document(
        events: history.chapters.flatMap { chapter in
          chapter.events.map { Document.Entry(run: chapter.run.run, event: $0) }
        })
      Console.data(try encoder.text(of: document) + "\n")
    }
  }

  private func history(
    in archive: BuildingArchive, _ reference: BuildingReference
  ) throws -> BuildingHistory {
    if let address = BluetoothAddress(subject) { return BuildingHistory(of: address, in: archive) }
    let names = RoomNames(reference.source?.building, archive.state.lastKnown)
    return BuildingHistory(of: try names.find(subject, for: "ROOM"), in: archive)
  }

  /// The JSON output: events as in the journal, each with its run.
  private struct Document: Encodable {
    var schema = "roboprov/history/1"
    var events: [Entry]

    struct Entry: Encodable {
      var run: String
      var event: RunEvent
    }
  }
}
