import ArgumentParser
import Bluetooth
import Foundation
import Journal
import Model

/// Measures how long the commands that read a whole record take with a long one.
struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Measure `plan`, `status` and `report check` with a long record.",
    discussion: """
      Run it in the root of the sources: it uses .build/release/roboprov. The record is the journal of one rehearsal several \
      times, each with its own id, predecessor and chain. The figures are those of the whole processes, in turn. `plan` \
      ends when it finds no bus.
      """)

  @Option(help: "Number of rooms.")
  var rooms = 2000

  @Option(help: "Number of runs on record.")
  var runs = 20

  @Option(help: "Runs of each command, in turn; the table shows the medians.")
  var times = 3

  @Option(help: "Paths of the programs to compare; the ratios are to the first one.")
  var roboprov = [".build/release/roboprov"]

  @Option(help: "Directory of the record. It is made there unless it exists; by default it is temporary.")
  var record: String?

  func run() throws {
    let directory =
      record ?? FileManager.default.temporaryDirectory.path + "/roboprov-bench-\(UUID().uuidString)"
    defer { if record == nil { try? FileManager.default.removeItem(atPath: directory) } }
    let manifest = directory + "/building.yaml"
    if !FileManager.default.fileExists(atPath: manifest) { try makeRecord(in: directory, manifest) }
    let commands: [(name: String, arguments: [String], status: Int32)] = [
      ("plan", ["plan", manifest], 69), ("status", ["status", manifest], 0),
      ("report check", ["report", "check", manifest], 100),
    ]
    print("| command | program | wall | processor time | ratio | peak memory |")
    print("|---|---|---|---|---|---|")
    for command in commands {
      var measured = roboprov.map { _ in [(used: ResourceUse, peak: Double)]() }
      for _ in 0..<times {
        for (index, program) in roboprov.enumerated() {
          measured[index].append(try measure(program, command.arguments, command.status, directory))
        }
      }
      let first = measured[0].map(\.used.cpu).median
      for (program, runs) in zip(roboprov, measured) {
        let (wall, cpu) = (runs.map(\.used.wall).median, runs.map(\.used.cpu).median)
        print(
          "| `\(command.name)` | \(program) | \(wall.rounded(to: 2)) s | \(cpu.rounded(to: 2)) s "
            + "| \((cpu / first).rounded(to: 2)) | \(runs.map(\.peak).median.rounded(to: 0)) MB |")
      }
    }
  }

  private func measure(
    _ program: String, _ arguments: [String], _ status: Int32, _ directory: String
  ) throws -> (used: ResourceUse, peak: Double) {
    let null = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
    let before = ResourceUse.now
    let ended = try Child.start(
      program, arguments + ["--reports", directory + "/reports"], output: null,
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent", "XDG_STATE_HOME": directory]
    ).ended()
    guard ended.status == status else {
      throw Child.Failure(description: "\(program) \(arguments) ended with \(ended.status)")
    }
    return (ResourceUse(wall: ResourceUse.now.since(before).wall, cpu: ended.cpu), ended.peakMegabytes)
  }

  /// Rehearses the building once, and writes the journal of each run.
  private func makeRecord(in directory: String, _ manifest: String) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let lines = (0..<rooms).map {
      "  - { room: Room \($0), minor: \($0), address: \"\(BuildingOptions.address($0))\" }"
    }
    let text =
      "building: Bench\nid: bench\nwifi: { plant: { ssid: Plant, password: correct horse } }\n"
      + "defaults: { wifi: plant }\nrooms:\n\(lines.joined(separator: "\n"))\n"
    let reports = directory + "/reports"
    let null = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
    let source = directory + "/rehearsed.yaml"
    try Data(text.utf8).write(to: URL(filePath: source))
    let status = try Child.start(
      roboprov[0], ["apply", source, "--simulate", "--seed", "1", "--reports", reports], output: null,
      environment: ["XDG_STATE_HOME": directory]
    ).ended().status
    guard status == 0, let run = try RunDirectory.rehearsalIDs(of: "bench", in: reports).first else {
      throw Child.Failure(description: "the rehearsal ended with \(status)")
    }
    let rehearsed = try RunDirectory.open(in: reports, building: "bench", run: run, .rehearsal)
      .readJournal().events
    var predecessors: [Predecessor] = []
    for number in 0..<runs {
      let id = "run-\(1000 + number)"
      var journal = JournalLines()
      var bytes: [UInt8] = []
      for var event in rehearsed {
        if case .runStarted(var fact) = event.fact {
          (fact.run, fact.simulated, fact.predecessors) = (id, false, predecessors)
          event.fact = .runStarted(fact)
        }
        event.at -= Double(runs - number) * 86_400
        bytes += journal.line(event) + [UInt8(ascii: "\n")]
      }
      let folder = try RunDirectory.create(in: reports, building: "bench", run: id)
      try Data(bytes).write(to: URL(filePath: folder.journalPath))
      predecessors = [Predecessor(run: id, last: journal.previous)]
    }
    // `report check` needs the building's report.
    _ = try measure(roboprov[0], ["status", source, "--write"], 0, directory)
    // The manifest comes last: it shows that the record is whole.
    try FileManager.default.moveItem(atPath: source, toPath: manifest)
  }
}
