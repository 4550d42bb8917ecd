import ArgumentParser
import Foundation

/// Compares `apply` with scripts of the same job. All use a virtual `org.bluez` that another process serves.
struct BusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bus",
    abstract: "Compare `roboprov apply` with scripts for the same job, on a virtual org.bluez at real speed.",
    discussion: """
      Run it in the root of the sources: it uses .build/release/roboprov, and the script \(script) with the Python that \
      `make bench` sets up. The clients run in turn, each with its own building and bus. The time is that of the client's \
      whole process, from start to end, without building and bus. The scripts are told how many links an adapter holds; \
      roboprov finds it out. A script that gives healthy sensors up is shown with their number, and not compared.
      """)

  private static let script = "Tests/RadioLab/clients/building_script.py"

  @Option(
    name: .customLong("sensors"), parsing: .upToNextOption,
    help: "Sensors in the building, one for each room.")
  var sensorCounts = [40, 120]

  @Option(name: .customLong("adapters"), parsing: .upToNextOption, help: "Numbers of adapters.")
  var adapterCounts = [1, 3]

  @Option(parsing: .upToNextOption, help: "Percentages of sensors with a fault (`serve --help`).")
  var faulty = [0, 10]

  @Option(help: "Runs of each client, in turn; the table shows the medians.")
  var runs = 1

  @Option(help: "Number of links that an adapter holds at once.")
  var slots = 5

  @Option(help: "Seed of all random numbers.")
  var seed: UInt64 = 1

  @Option(help: "Path of the program.")
  var roboprov = ".build/release/roboprov"

  @Option(help: "Path of the scripts' Python interpreter.")
  var python = ".build-bench/venv/bin/python3"

  func run() async throws {
    let names = Client.allCases.map(\.rawValue)
    let columns: [String] =
      ["sensors", "adapters", "faulty"] + names.map { $0 + ", s" } + ["pace, best script = 1"]
      + names.map { $0 + ", CPU ms a device" }
    print(Self.line(columns))
    print(Self.line(columns.map { _ in "---" }))
    for faulty in faulty {
      for sensors in sensorCounts {
        for adapters in adapterCounts {
          var building = BusBuilding()
          (building.sensors, building.adapters, building.faulty) = (sensors, adapters, faulty)
          (building.slots, building.seed, building.speed) = (slots, seed, 1)
          try building.validate()
          print(try row(building))
        }
      }
    }
    print("\n" + (try Self.origin()))
  }

  private func row(_ building: BusBuilding) throws -> String {
    var used: [Client: [ResourceUse]] = [:]
    var missing: [Client: Int] = [:]
    for _ in 0..<runs {
      for client in Client.allCases {
        let (use, proved) = try provision(building, with: client)
        used[client, default: []].append(use)
        missing[client] = max(missing[client, default: 0], building.healthy - proved)
      }
    }
    func median(_ client: Client, _ value: (ResourceUse) -> Double) -> Double {
      used[client, default: []].map(value).median
    }
    let walls = Client.allCases.map { client in
      let lack = missing[client, default: 0]
      return median(client, \.wall).rounded(to: 1) + (lack > 0 ? " (\(lack) given up)" : "")
    }
    let scripts = Client.allCases.filter { $0 != .roboprov && missing[$0] == 0 }
    let best = scripts.map { median($0, \.wall) }.min()
    let pace = best.map { ($0 / median(.roboprov, \.wall)).rounded(to: 2) } ?? "–"
    let cpu = Client.allCases.map { (median($0, \.cpu) * 1000 / Double(building.sensors)).rounded(to: 1) }
    let cells: [String] = ["\(building.sensors)", "\(building.adapters)", "\(building.faulty) %"]
    return Self.line(cells + walls + [pace] + cpu)
  }

  private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  private enum Client: String, CaseIterable {
    case roboprov
    case dbusFast = "dbus-fast"
    case bleak
  }

  /// Serves a new building and provisions it.
  /// - Returns: what the client used, and how many sensors it proved.
  private func provision(
    _ building: BusBuilding, with client: Client
  ) throws -> (use: ResourceUse, proved: Int) {
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
        "serve", "--sensors", "\(building.sensors)", "--adapters", "\(building.adapters)",
        "--faulty", "\(building.faulty)", "--slots", "\(building.slots)", "--speed", "\(building.speed)",
        "--seed", "\(building.seed)",
      ], output: started.fileHandleForWriting)
    defer { _ = try? server.ended() }
    try started.fileHandleForWriting.close()
    let address = String(decoding: started.fileHandleForReading.availableData, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)

    let (program, arguments) = command(for: client, in: directory.path)
    let output = directory.appending(path: "output").path
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    guard let file = FileHandle(forWritingAtPath: output) else { throw Child.Failure(description: output) }
    let before = ResourceUse.now
    let (_, cpu, _) = try Child.start(
      program, arguments, output: file,
      environment: [
        "DBUS_SYSTEM_BUS_ADDRESS": address, "XDG_STATE_HOME": directory.path,
        "PYTHONPYCACHEPREFIX": path(".build-bench/pycache"),
      ]
    ).ended()
    let wall = ResourceUse.now.since(before).wall
    let printed = try String(contentsOfFile: output, encoding: .utf8)
    let number =
      client == .roboprov
      ? printed.firstMatch(of: /(\d+) of \d+ rooms done/)?.1 : printed.firstMatch(of: /"proved": (\d+)/)?.1
    guard let proved = number.flatMap({ Int($0) }), client != .roboprov || proved == building.healthy else {
      throw Child.Failure(
        description: "\(client.rawValue) provisioned not all \(building.healthy): \(printed)")
    }
    return (ResourceUse(wall: wall, cpu: cpu), proved)
  }

  private func command(for client: Client, in directory: String) -> (program: String, arguments: [String]) {
    switch client {
    case .roboprov:
      (path(roboprov), ["apply", directory + "/building.yaml", "--reports", directory + "/reports"])
    case .dbusFast: (path(python), [path(Self.script), "dbus_fast", directory + "/job.json"])
    case .bleak: (path(python), [path(Self.script), "bleak", directory + "/job.json"])
    }
  }

  private func path(_ text: String) -> String {
    text.hasPrefix("/") ? text : FileManager.default.currentDirectoryPath + "/" + text
  }

  /// The machine, its load and the commit.
  private static func origin() throws -> String {
    let processors = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8).split(separator: "\n")
    let model = processors.first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? "unknown"
    let load = try String(contentsOfFile: "/proc/loadavg", encoding: .utf8).split(separator: " ")
    let date = Date.now.formatted(.iso8601.year().month().day())
    return """
      \(date), commit \(try commit()), \(ProcessInfo.processInfo.activeProcessorCount) cores of\(model), \
      load \(load[2]) over the last 15 minutes.
      """
  }

  private static func commit() throws -> String {
    let git = Process()
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    let output = Pipe()
    git.standardOutput = output
    try git.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

extension [Double] {
  /// The median; of an even number of values, the higher of the two in the middle.
  var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
