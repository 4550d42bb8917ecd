import Bluetooth
import Foundation
import Journal
import Model

/// Forged journals: valid hash chains with arbitrary contents.
enum Forgery {
  /// When forged runs begin: 2026-09-01.
  static let began = Date(timeIntervalSince1970: 1_788_253_200)

  /// Writes the journal of a run to a site.
  /// - Returns: the run's id.
  @discardableResult
  static func put(
    _ facts: [Fact], run: String = "20260901-090000-forged", building: String = Site.building,
    room: RoomID = "room-101", name: String = "Room 101", in reports: String = "reports", at site: Site,
    began: Date = Forgery.began
  ) throws -> String {
    let started = Fact.runStarted(
      .init(
        run: run, building: building, buildingName: "Harbour", toolVersion: "0.1.0", host: "laptop",
        manifestPath: "m", manifestSHA256: "", simulated: false,
        rooms: [.init(room: room, name: name, profile: "robo-sensor", settings: [])]))
    try put(lines([started] + facts, began: began), run: run, in: reports, at: site)
    return run
  }

  /// Writes the lines of a run's journal to a site.
  static func put(_ lines: [[UInt8]], run: String, in reports: String = "reports", at site: Site) throws {
    let folder = site.directory.appending(path: "\(reports)/\(Site.building)/\(run)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let bytes = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
    try Data(bytes).write(to: folder.appending(path: "journal.jsonl"))
  }

  /// The lines of a journal with these facts, one second apart.
  static func lines(_ facts: [Fact], began: Date = Forgery.began) -> [[UInt8]] {
    var journal = JournalLines()
    return facts.enumerated().map { index, fact in
      journal.line(
        RunEvent(
          sequence: index + 1, at: began.addingTimeInterval(Double(index)),
          elapsed: .seconds(index), fact: fact))
    }
  }
}
