package import Model

extension AdapterScan {
  package static let form = OutputForm<AdapterScan>("adapter_scan", "How long an adapter scanned.") {
    Field("adapter", "The adapter.") { $0.adapter }
    Field("name", "Its name at that time: `hci0`; with the host if it is another computer's.") { $0.name }
    Field("seconds", "Its scan time in seconds.") { $0.seconds }
    Field("complete", "Whether it scanned to the end; false if it failed, or was lost.") { $0.isComplete }
  }
}

extension [AdapterScan] {
  /// ` by hci0 (10 s) and hci1 (3 s)`, to follow a verb.
  var by: String {
    guard let last else { return "" }
    let words = map { "\($0.name.visible) (\($0.seconds.asSeconds))" }
    return " by " + (count == 1 ? "" : words.dropLast().joined(separator: ", ") + " and ")
      + "\(last.name.visible) (\(last.seconds.asSeconds))"
  }
}
