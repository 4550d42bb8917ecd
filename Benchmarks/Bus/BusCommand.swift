import ArgumentParser
import Foundation

/// Measures the CPU time of `apply` per device, compared with a script that does the same job. Both use a
/// virtual `org.bluez` that another process serves.
struct BusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bus",
    abstract: "Measure the processor time of `roboprov apply` on a virtual org.bluez and compare a script.",
    discussion: """
      Run it in the root of the sources: it uses .build/release/roboprov, and the script \(script) with the Python that \
      `make bench` sets up. The clients run in turn, each with its own building and bus. The time is the CPU time of the \
      client's whole process, without building and bus.
      """)

  private static let script = "Tests/RadioLab/clients/building_script.py"

  @OptionGroup var building: BusBuilding

  @Option(help: "Runs of each program, in turn; the table shows the medians.")
  var runs = 3

  @Option(help: "Path of the program.")
  var roboprov = ".build/release/roboprov"

  @Option(help: "Path of the script's Python interpreter.")
  var python = ".build-bench/venv/bin/python3"

  func run() async throws {
    var measured: [Client: [Double]] = [:]
    var walls: [Client: [Double]] = [:]
    for _ in 0..<runs {
      for client in Client.allCases {
        let before = ResourceUse.now
        let cpu = try provision(with: client)
        measured[client, default: []].append(cpu / Double(building.sensors) * 1000)
        walls[client, default: []].append(ResourceUse.now.since(before).wall)
      }
    }
    print("| | processor time for each of \(building.sensors) devices | each run | seconds of each run |")
    print("|---|---|---|---|")
    for client in Client.allCases {
      let times = measured[client, default: []]
      let each = times.map { $0.rounded(to: 1) }.joined(separator: ", ")
      let seconds = walls[client, default: []].map { $0.rounded(to: 0) }.joined(separator: ", ")
      print("| \(client.rawValue) | \(times.median.rounded(to: 1)) ms | \(each) ms | \(seconds) |")
    }
  }

  private enum Client: String, CaseIterable {
    case roboprov = "roboprov apply"
    case script = "script with bleak"
  }

  /// Serves a new building and provisions it.
  /// - Returns: the CPU time of the client in seconds.
  private func provision(with client: Client) throws -> Double {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "roboprov-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try building.manifest.write(
      to: directory.appending(path: "building.yaml"), atomically: true, encoding: .utf8)
    try building.job().write(to: directory.appending(path: "job.json"))

    let started = Pipe()
    let server = try Child.start(
      "/proc/self/exe",
      [
        "serve", "--sensors", "\(building.sensors)", "--slots", "\(building.slots)",
        "--speed", "\(building.speed)", "--seed", "\(building.seed)",
      ], output: started.fileHandleForWriting)
    defer { _ = try? server.ended() }
    try started.fileHandleForWriting.close()
    let address = String(decoding: started.fileHandleForReading.availableData, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)

    let (program, arguments) = command(for: client, in: directory.path)
    let output = directory.appending(path: "output").path
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    guard let file = FileHandle(forWritingAtPath: output) else { throw Child.Failure(description: output) }
    let (status, cpu, _) = try Child.start(
      program, arguments, output: file,
      environment: [
        "DBUS_SYSTEM_BUS_ADDRESS": address, "XDG_STATE_HOME": directory.path,
      ]
    ).ended()
    let printed = try String(contentsOfFile: output, encoding: .utf8)
    guard status == 0, isComplete(printed, client) else {
      throw Child.Failure(
        description: "\(client.rawValue) did not provision them all (\(status)): \(printed)")
    }
    return cpu
  }

  private func command(for client: Client, in directory: String) -> (program: String, arguments: [String]) {
    switch client {
    case .roboprov:
      (path(roboprov), ["apply", directory + "/building.yaml", "--reports", directory + "/reports"])
    case .script: (path(python), [path(Self.script), directory + "/job.json"])
    }
  }

  private func path(_ text: String) -> String {
    text.hasPrefix("/") ? text : FileManager.default.currentDirectoryPath + "/" + text
  }

  private func isComplete(_ printed: String, _ client: Client) -> Bool {
    switch client {
    case .roboprov: printed.hasPrefix("\(building.sensors) of \(building.sensors) rooms done")
    case .script: printed.contains("\"proved\": \(building.sensors)")
    }
  }
}

extension [Double] {
  /// The median; of an even number of values, the higher of the two in the middle.
  var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
