import ArgumentParser
import Foundation

/// Measures the time and memory to read a manifest, compared with PyYAML's C loader on the same file.
struct ManifestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manifest",
    abstract: "Measure `roboprov validate` with a very large manifest, compared with PyYAML's C loader.",
    discussion: """
      Run it in the root of the sources: it uses .build/release/roboprov, and the Python that `make bench` sets up. PyYAML \
      builds lists and dictionaries and checks no rules. The figures are those of the whole processes.
      """)

  @Option(help: "Number of rooms.")
  var rooms = 100_000

  @Option(help: "Runs of each program, in turn; the table shows the medians.")
  var runs = 3

  @Option(help: "Path of the program.")
  var roboprov = ".build/release/roboprov"

  @Option(help: "Path of the Python interpreter.")
  var python = ".build-bench/venv/bin/python3"

  func run() throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "roboprov-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    var files: [String: String] = [:]
    for isGood in [true, false] {
      let file = directory.appending(path: isGood ? "good.yaml" : "bad.yaml")
      try manifest(isGood: isGood).write(to: file, atomically: true, encoding: .utf8)
      files[isGood ? "good" : "bad"] = file.path
    }
    let good = files["good", default: ""]
    let bad = files["bad", default: ""]
    let load = "import sys, yaml; yaml.load(open(sys.argv[1]), yaml.CSafeLoader)"
    let rows: [(what: String, program: String, arguments: [String], status: Int32)] = [
      ("roboprov validate", roboprov, ["validate", good], 0),
      ("the same, a finding in every tenth room", roboprov, ["validate", bad], 65),
      ("PyYAML, CSafeLoader", python, ["-c", load, good], 0),
    ]
    var measured = rows.map { _ in [(cpu: Double, peak: Double)]() }
    for _ in 0..<runs {
      for (index, row) in rows.enumerated() {
        measured[index].append(try measure(row.program, row.arguments, status: row.status))
      }
    }
    let megabytes = try FileManager.default.attributesOfItem(atPath: good)[.size] as? Int ?? 0
    print("| \(rooms) rooms, \(megabytes / 1_000_000) MB | processor time | ratio | peak memory | each run |")
    print("|---|---|---|---|---|")
    let first = measured[0].map(\.cpu).median
    for (row, runs) in zip(rows, measured) {
      let cpu = runs.map(\.cpu)
      let each = cpu.map { $0.rounded(to: 2) }.joined(separator: ", ")
      print(
        "| \(row.what) | \(cpu.median.rounded(to: 2)) s | \((cpu.median / first).rounded(to: 2)) "
          + "| \(runs.map(\.peak).median.rounded(to: 0)) MB | \(each) s |")
    }
  }

  private func measure(
    _ program: String, _ arguments: [String], status: Int32
  ) throws -> (cpu: Double, peak: Double) {
    let null = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
    let ended = try Child.start(path(program), arguments, output: null).ended()
    guard ended.status == status else {
      throw Child.Failure(description: "\(program) ended with \(ended.status)")
    }
    return (ended.cpu, ended.peakMegabytes)
  }

  private func path(_ text: String) -> String {
    text.hasPrefix("/") ? text : FileManager.default.currentDirectoryPath + "/" + text
  }

  /// Beacons of two majors, each a mapping of 12 keys. In an invalid manifest every tenth has an impossible
  /// minor.
  private func manifest(isGood: Bool) -> String {
    var text = "building: Harbour Towers\nid: harbour-towers\ndefaults:\n  profile: iot-design-shop\nrooms:\n"
    for number in 0..<rooms {
      let tower = 1 + number / 10_000
      let floor = number / 100 % 100
      let place = "\(tower)-\(floor)-\(number % 100)"
      let minor = !isGood && number % 10 == 0 ? 70_000 : number % 65_536
      text += """
          - room: Tower \(tower), floor \(floor), room number \(number % 100)
            id: tower-\(place)
            floor: \(floor)
            tags: sensors of the second stage of the extension
            address: "\(BuildingOptions.address(number))"
            uuid: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6
            major: \(1 + number / 65_536)
            minor: \(minor)
            power: medium
            interval: 500ms
            retries: 2
            register: false

        """
    }
    return text
  }
}
