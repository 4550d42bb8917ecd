package import Model

extension AdapterScan {
  package static let form = OutputForm<AdapterScan>("adapter_scan", Self.about) {
    Field("adapter", of: AdapterScan.self) { $0.adapter }
    Field("name", of: AdapterScan.self) { $0.name }
    Field("seconds", of: AdapterScan.self) { $0.seconds }
    Field("complete", of: AdapterScan.self) { $0.isComplete }
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
