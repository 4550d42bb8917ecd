import Foundation

/// What the Bluetooth service wrote into the system's journal.
struct ServiceMessages {
  /// Its messages, for each time under a line of its own; nil where there are none.
  let text: String?
  /// Why there are none, or perhaps not all: in journalctl's own words.
  let notes: [String]

  /// Asks journalctl for the messages of these times.
  init(_ times: [ClosedRange<Date>]) {
    var text = ""
    var notes: [String] = []
    for time in times {
      let outcome = Self.ask(time)
      let note =
        outcome.errors.isEmpty && outcome.status != 0 ? "exit status \(outcome.status)" : outcome.errors
      if !note.isEmpty, !notes.contains(note) { notes.append(note) }
      guard outcome.status == 0, !outcome.output.isEmpty, !outcome.output.hasPrefix("-- No entries") else {
        continue
      }
      text +=
        "# \(time.lowerBound.formatted(.iso8601)) to \(time.upperBound.formatted(.iso8601))\n\(outcome.output)\n"
    }
    if text.isEmpty, notes.isEmpty {
      notes = ["journalctl has no message of the unit `bluetooth` for the times of the runs"]
    }
    self.text = text.isEmpty ? nil : text
    self.notes = notes
  }

  private static func ask(_ time: ClosedRange<Date>) -> ToolOutcome {
    ToolOutcome([
      "journalctl", "--unit=bluetooth", "--utc", "--output=short-iso-precise", "--no-pager",
      "--since=@\(Int(time.lowerBound.timeIntervalSince1970))",
      "--until=@\(Int(time.upperBound.timeIntervalSince1970.rounded(.up)))",
    ])
  }
}

/// How a program of the system ended, and what it wrote.
struct ToolOutcome {
  let status: Int32
  let output: String
  let errors: String

  /// Runs a program that is looked up along PATH, to its end.
  init(_ command: [String]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
    } catch {
      (status, self.output) = (-1, "")
      self.errors = "\(command.first ?? "") cannot be started: \(error.localizedDescription)"
      return
    }
    // What it complains of fits into the pipe.
    self.output = Self.text(of: output)
    self.errors = Self.text(of: errors)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  private static func text(of pipe: Pipe) -> String {
    String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
