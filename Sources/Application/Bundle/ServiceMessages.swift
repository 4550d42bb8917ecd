package import FoundationEssentials

/// The messages of the Bluetooth service in the system's journal.
package struct ServiceMessages {
  /// The messages, with a heading for each time range; nil if there are none.
  let text: String?
  /// Why messages may be missing, in the words of journalctl.
  let notes: [String]

  /// Reads the messages of these times with journalctl.
  package init(_ times: [ClosedRange<Date>]) {
    var text = ""
    var notes: [String] = []
    for time in times {
      let outcome = Self.ask(time)
      let note =
        outcome.errors.isEmpty && outcome.status != 0 ? "exit status \(outcome.status ?? -1)" : outcome.errors
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
