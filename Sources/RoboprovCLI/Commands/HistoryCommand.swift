import ArgumentParser
import Bluetooth
import Foundation
import Journal
import Model
import Reporting

/// `roboprov history`: all that is on record of a room or a sensor.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Print what each run did with a room or a sensor, one line a run; with --full every event.")

  @Argument(help: BuildingReference.help)
  var building: String

  @Argument(help: "The room, by id or name; or the sensor, by address.")
  var subject: String

  @Flag(help: "Print every event instead of one line for each run.")
  var full = false

  @Option(help: ArgumentHelp("Where reports are.", valueName: "dir"))
  var reports = "reports"

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  func run() async throws {
    let reference = try BuildingReference.find(building)
    let archive = try SiteRecord.read(reference.id, in: reports, damagedToo: true).archive
    let history = try history(in: archive, reference)
    switch output {
    case .text:
      if history.chapters.isEmpty { Console.say("Nothing is on record about \(subject.visible).") }
      for chapter in history.chapters {
        if full {
          for line in HistoryView.lines(chapter.run, chapter.events) { Console.data(line + "\n") }
        } else {
          Console.data(HistoryView.summary(chapter.run, chapter.events) + "\n")
        }
      }
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let document = Document(
        events: history.chapters.flatMap { chapter in
          chapter.events.map { Document.Entry(run: chapter.run.run, event: $0) }
        })
      Console.data(String(decoding: try encoder.encode(document), as: UTF8.self) + "\n")
    }
  }

  private func history(
    in archive: BuildingArchive, _ reference: BuildingReference
  ) throws -> BuildingHistory {
    if let address = BluetoothAddress(subject) { return BuildingHistory(of: address, in: archive) }
    let names = RoomNames(reference.source?.building, archive.state.standing)
    return BuildingHistory(of: try names.find(subject, for: "ROOM"), in: archive)
  }

  /// The history for programs: events as in the journal, each with its run.
  private struct Document: Encodable {
    var schema = "roboprov/history/1"
    var events: [Entry]

    struct Entry: Encodable {
      var run: String
      var event: RunEvent
    }
  }
}
