package import Bluetooth

/// The device families that a building may have. The application makes it and passes it on.
package struct FamilyCatalogue: Hashable, Sendable {
  /// All families; the first is the default.
  package let all: [DeviceFamily]
  /// The formats of identities on air, each once.
  private let formats: [IdentityRule]

  package init(_ families: [DeviceFamily] = []) {
    all = families
    var formats: [IdentityRule] = []
    for rule in families.compactMap(\.identity)
    where !formats.contains(where: { $0.hasFormat(of: rule) }) { formats.append(rule) }
    self.formats = formats
  }

  package subscript(id: FamilyID) -> DeviceFamily? { all.first { $0.id == id } }

  /// The identity in an advertisement, in the format of any family.
  package func identity(in advertisement: Advertisement) -> DeviceIdentity? {
    formats.lazy.compactMap { $0.identity(in: advertisement) }.first
  }

  /// The family and state of the device that sent an advertisement. An advertisement that offers a family's
  /// service belongs to that family, whatever its identity.
  package func recognise(
    _ advertisement: Advertisement
  ) -> (profile: FamilyID, recognition: Recognition)? {
    var first: (FamilyID, Recognition)?
    for index in all.indices {
      guard let recognition = all[index].recognise(advertisement) else { continue }
      if advertisement.serviceUUIDs.contains(all[index].service) { return (all[index].id, recognition) }
      first = first ?? (all[index].id, recognition)
    }
    return first
  }

  /// The families between which an advertisement does not decide; empty if at most one recognises it.
  package func rivals(_ advertisement: Advertisement) -> [FamilyID] {
    let claimants = all.filter { $0.recognise(advertisement) != nil }
    let offered = claimants.filter { advertisement.serviceUUIDs.contains($0.service) }
    let rivals = offered.isEmpty ? claimants : offered
    return rivals.count > 1 ? rivals.map(\.id) : []
  }

  /// The description of a setting by its name, of the first family that has it. Families that share a setting
  /// describe it in the same way, except for its encoding.
  package func setting(_ name: SettingName) -> SettingDescription? {
    all.lazy.compactMap { $0[name] }.first
  }

  package func families(with name: SettingName) -> [DeviceFamily] { all.filter { $0[name] != nil } }
}

extension IdentityRule {
  /// Whether both read the same identities.
  func hasFormat(of other: IdentityRule) -> Bool {
    func format(_ part: Part) -> [AnyHashable] { [part.name, part.encoding] }
    return place == other.place && prefix == other.prefix && trailing == other.trailing
      && parts.map(format) == other.parts.map(format)
  }
}
