import Bluetooth
import Model
import Source
import YAML

/// The keys `adapters` and `near`.
extension ManifestDecoder {
  mutating func adapters(_ node: YAMLNode) -> [AdapterDescription] {
    guard
      let entries = entries(
        of: node, "`adapters` is a mapping of adapters",
        advice: "use its name on the host, its address or any other name: adapters: { hci0: { slots: 7 } }")
    else { return [] }
    var places: [AdapterReference: SourceRange] = [:]
    return entries.compactMap { entry in
      guard let description = adapter(entry) else { return nil }
      if let first = places[description.reference] {
        error(
          .duplicateAdapter, "this adapter is described already", at: entry.keyRange,
          notes: [.init("the first entry", at: first)], advice: "join the two")
      }
      places[description.reference] = entry.keyRange
      return description
    }
  }

  private mutating func adapter(_ entry: YAMLNode.Entry) -> AdapterDescription? {
    let named = AdapterReference(naming: entry.key)
    show(entry.keyRange, of: entry.key)
    guard let fields = fields(of: entry.value, "an adapter", known: Vocabulary.adapter) else { return nil }
    if entry.value.entries?.isEmpty == true {
      error(
        .missingKey, "this adapter has no keys", at: entry.keyRange, advice: "for example: slots: 7")
    }
    var description = AdapterDescription(named ?? AdapterReference(entry.key))
    if let named {
      checkHost(of: named, at: entry.keyRange)
      if let address = fields.entry("address") {
        error(
          .badAdapter, "the name of this entry identifies the adapter already", at: address.keyRange,
          advice: "leave `address` out, or choose another name")
      }
    } else if let node = fields["address"] {
      guard let text = text(node, "address") else { return nil }
      guard let reference = AdapterReference(naming: text), let id = AdapterID(reference.text) else {
        return refused(
          .badAddress, "`address` is not the address of an adapter", at: node.range, advice: Self.addresses)
      }
      warnOfOtherMeaning(node, "address")
      checkHost(of: reference, at: node.range)
      if hosts.contains(where: { $0.name.text == entry.key }) {
        error(.badAdapter, "a host has this name", at: entry.keyRange, advice: "choose another name")
      }
      description = AdapterDescription(AdapterReference(id.description), alias: entry.key)
    } else {
      return refused(
        .badAdapter, "this is neither the name nor the address of an adapter", at: entry.keyRange,
        advice: "write hci0 or 00:1A:7D:DA:71:13, or give it its `address`: \(Self.addresses)")
    }
    if let node = fields["slots"] { description.slots = integer(node, "slots", in: ManifestLimits.slots) }
    if let node = fields["place"] { description.place = label(node, "place") }
    return description
  }

  private static let addresses = "`bluetoothctl list` shows the addresses"

  mutating func near(_ fields: Fields, of kind: RoomKind) -> AdapterReference? {
    guard let entry = fields.entry("near"), let text = text(entry.value, "near"),
      isHint(entry, fields, of: kind)
    else { return nil }
    if let described = adapterAliases[text] { return described }
    if hosts.contains(where: { $0.name.text == text }) { return AdapterReference(text) }
    if let reference = AdapterReference(naming: text) {
      checkHost(of: reference, at: entry.value.range)
      return reference
    }
    return refused(
      .unknownAdapter, "this is neither the name nor the address of an adapter", at: entry.value.range,
      advice: suggestion(
        for: text, of: adapterAliases.keys.sorted() + hosts.map(\.name.text),
        or: "write hci0 or 00:1A:7D:DA:71:13: \(Self.addresses)"))
  }
}
