import Bluetooth
import Model
import YAML

/// What a manifest says of adapters.
extension ManifestDecoder {
  /// How many conversations adapters can hold at once.
  mutating func slots(_ node: YAMLNode) -> [AdapterReference: Int] {
    guard let entries = node.entries else {
      error(
        "`adapters` is a mapping of adapters", at: node.range,
        advice: "name each as the host does, or by its address: adapters: { hci0: { slots: 7 } }")
      return [:]
    }
    var slots: [AdapterReference: Int] = [:]
    for entry in entries {
      let name = adapter(entry.key, at: entry.keyRange)
      guard let fields = fields(of: entry.value, "an adapter", known: Vocabulary.adapter) else { continue }
      guard let node = fields["slots"] else {
        // Where it has something else, that has been said.
        if entry.value.entries?.isEmpty == true {
          error("an adapter without `slots`", at: fields.head, advice: "give it: slots: 7")
        }
        continue
      }
      let number = integer(node, "slots", in: 1...20)
      if let name, let number { slots[name] = number }
    }
    return slots
  }

  /// The adapter that stands in a room.
  mutating func near(_ fields: Fields, of kind: RoomKind) -> AdapterReference? {
    guard let entry = fields.entries["near"], let text = text(entry.value, "near") else { return nil }
    if kind.isRegistered {
      neverWritten(entry)
      return nil
    }
    if let address = fields.entries["address"] {
      warning(
        "`near` decides nothing in a room with an address", at: entry.keyRange,
        notes: [.init("its address", at: address.keyRange)], advice: "leave one of them out")
    }
    return adapter(text, at: entry.value.range)
  }

  /// An adapter by its name or address.
  private mutating func adapter(_ text: String, at range: SourceRange) -> AdapterReference? {
    let isName = text.hasPrefix("hci") && Int(text.dropFirst(3)).map { (0...255).contains($0) } ?? false
    if isName || BluetoothAddress(text) != nil {
      shown.insert(range.bytes)
      return AdapterReference(text)
    }
    error(
      "this is neither the name nor the address of an adapter", at: range,
      advice: "write hci0 or 00:1A:7D:DA:71:13: `bluetoothctl list` has the addresses")
    return nil
  }
}
