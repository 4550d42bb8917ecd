import Bluetooth
import Model
import Source
import YAML

/// The key `hosts`, and the hosts in references to adapters.
extension ManifestDecoder {
  mutating func hosts(_ node: YAMLNode) -> [HostDescription] {
    guard
      let entries = entries(
        of: node, "`hosts` is a mapping of computers",
        advice: "give each a name: hosts: { floor-3: { ssh: pi@gw3 } }")
    else { return [] }
    var places: [String: SourceRange] = [:]
    return entries.compactMap { entry in
      guard let (host, place) = host(entry) else { return nil }
      if let first = places[host.ssh] {
        error(
          .duplicateHost, "this computer has a name already", at: place,
          notes: [.init("the first entry", at: first)], advice: "leave one of them out")
      }
      places[host.ssh] = place
      return host
    }
  }

  private mutating func host(_ entry: YAMLNode.Entry) -> (HostDescription, SourceRange)? {
    show(entry.keyRange, of: entry.key)
    guard let fields = fields(of: entry.value, "a host", known: Vocabulary.host) else { return nil }
    guard let name = HostName(entry.key) else {
      return refused(
        .badHost, "this cannot be the name of a host", at: entry.keyRange,
        advice: "use a–z, 0–9 and hyphens between them, and no name or address of an adapter: floor-3")
    }
    guard
      let node = required(
        "ssh", in: fields, "this host has no `ssh`", at: entry.keyRange, advice: "for example: ssh: pi@gw3"),
      let ssh = text(node, "ssh")
    else { return nil }
    guard HostDescription.isDestination(ssh) else {
      return refused(
        .badHost, "`ssh` is not a destination of ssh", at: node.range,
        advice: "write USER@HOST; \(HostDescription.destinationRule), where options belong, too")
    }
    var adapters: [AdapterReference] = []
    if let node = fields["adapters"] {
      for element in node.items ?? [node] {
        guard let text = text(element, "adapters") else { continue }
        guard let reference = AdapterReference(naming: text), reference.host == nil else {
          error(
            .badAdapter, "this is neither the name nor the address of an adapter", at: element.range,
            advice: "write hci0 or 00:1A:7D:DA:71:13, without the host")
          continue
        }
        adapters.append(AdapterReference("\(name)/\(reference.text)"))
      }
    }
    var floors: [String] = []
    for element in fields["floors"].map({ $0.items ?? [$0] }) ?? [] {
      guard let floor = label(element, "floors") else { continue }
      floors.append(floor)
      hostFloors.append((floor, element.range))
    }
    return (HostDescription(name, ssh: ssh, adapters: adapters, floors: floors), node.range)
  }

  /// Reports floors of hosts on which no room is.
  mutating func checkFloorsOfHosts(_ rooms: [Room]) {
    // A room with an error may be missing.
    let floors = Set(rooms.compactMap(\.floor) + scopes.compactMap(\.floor))
    for (floor, range) in hostFloors where !floors.contains(floor) {
      error(
        .unknownFloor, "no room is on this floor", at: range,
        advice: suggestion(
          for: floor, of: floors.sorted(),
          or: "give its rooms their floor: floors: [{ floor: …, rooms: … }]"))
    }
  }

  /// Reports a reference to an adapter of a host that is not under `hosts`.
  mutating func checkHost(of reference: AdapterReference, at range: SourceRange) {
    guard let host = reference.host, !hosts.contains(where: { $0.name == host }) else { return }
    error(
      .unknownHost, "no host of this name is under `hosts`", at: range,
      advice: suggestion(
        for: host.text, of: hosts.map(\.name.text), or: "add it there: hosts: { \(host): { ssh: … } }"))
  }
}

extension AdapterReference {
  /// Parses a name, `hci0` to `hci255`, or an address, after a host and `/` if it is one of another computer; nil for any
  /// other text.
  init?(naming text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[parts.count - 1]
    let isName = (0...255).contains { name == "hci\($0)" }
    guard let written = isName ? name : BluetoothAddress(name)?.description else { return nil }
    guard parts.count == 2 else {
      self.init(written)
      return
    }
    guard let host = HostName(parts[0]) else { return nil }
    self.init("\(host)/\(written)")
  }
}
