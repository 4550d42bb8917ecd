package import Model

/// The manifest language as data. Its keys come from `Vocabulary`, as the decoder's do.
package struct Grammar: Sendable {
  let vocabulary: Vocabulary
  var families: FamilyCatalogue { vocabulary.families }

  package init(_ families: FamilyCatalogue) { vocabulary = Vocabulary(families) }

  package var manifest: MappingForm {
    MappingForm(
      name: "manifest", documentation: "A building that roboprov provisions.",
      keys: Vocabulary.building.map { key($0, in: .manifest) }, required: ["building"],
      oneOf: Vocabulary.roomLists)
  }

  var defaults: MappingForm {
    MappingForm(
      name: "defaults", documentation: "Defaults for rooms, which can override each.",
      keys: shared(Vocabulary.defaults, .defaults))
  }
  var floor: MappingForm {
    MappingForm(
      name: "floor", documentation: "A floor: the common settings of its rooms, and the rooms.",
      keys: shared(Vocabulary.floor, .floor), required: ["floor"],
      oneOf: Vocabulary.floor.filter(Vocabulary.roomLists.contains))
  }
  var group: MappingForm {
    MappingForm(
      name: "group", documentation: "Rooms with common settings. The group's name is a tag of each.",
      keys: shared(Vocabulary.group, .group), required: ["group"],
      oneOf: Vocabulary.group.filter(Vocabulary.roomLists.contains))
  }
  /// For all profiles. A room's profile may come from its floor or from `defaults`, so a schema cannot tell
  /// which settings it takes.
  var room: MappingForm {
    MappingForm(
      name: "room", documentation: "A room, or a range of rooms: Room {301..332}.",
      keys: Vocabulary.room.map { key($0, in: .room) }
        + settings(named: vocabulary.settingKeys) { description in
          families.all.contains { $0.countedSetting?.name == description.name }
            ? .counting(description) : .setting(description)
        }, required: ["room"])
  }
  var network: MappingForm {
    MappingForm(
      name: "network", documentation: "A WiFi network.",
      keys: Vocabulary.network.map { key($0, in: .network) }, required: ["ssid"])
  }
  var passwordSource: MappingForm {
    MappingForm(
      name: "password_source", documentation: "The source of a password: one of these.",
      keys: Vocabulary.passwordSources.map { key($0, in: .passwordSource) }, isChoice: true)
  }
  /// Of what a label has, too.
  var labelSource: MappingForm {
    MappingForm(
      name: "label_source", documentation: "The source of what is on a device's label: one of these.",
      keys: Vocabulary.labelSources.map { key($0, in: .passwordSource) }, isChoice: true)
  }
  var table: MappingForm {
    MappingForm(
      name: "table", documentation: "A table of rooms, and which of its columns give which keys.",
      keys: Vocabulary.table.map { key($0, in: .table) }, required: ["file"])
  }
  var columns: MappingForm {
    MappingForm(
      name: "columns", documentation: "The header of the column for each key of a room.",
      keys: vocabulary.columns.map { key in
        MappingForm.Key(
          name: key, documentation: "The header of the column that gives `\(key)`.", value: .text(.any))
      })
  }
  var timeouts: MappingForm {
    MappingForm(
      name: "timeouts", documentation: "How long each stage of an attempt may take.",
      keys: Vocabulary.stages.map { key($0, in: .timeouts) })
  }

  var beacon: MappingForm {
    MappingForm(
      name: "beacon",
      documentation: "The beacon that the firmware of devices sends, if it differs from the factory's.",
      keys: Vocabulary.beacon.map { key($0, in: .beacon) }, oneOf: Vocabulary.beacon)
  }

  var host: MappingForm {
    MappingForm(
      name: "host", documentation: "Another computer, by its destination for ssh.",
      keys: Vocabulary.host.map { key($0, in: .host) }, required: ["ssh"])
  }
  /// An adapter with its name on the host.
  var hostAdapter: MappingForm {
    MappingForm(
      name: "host_adapter", documentation: "An adapter, named by its host or by its address.",
      keys: Vocabulary.adapter.filter { $0 != "address" }.map { key($0, in: .adapter) },
      oneOf: Vocabulary.adapter.filter { $0 != "address" })
  }
  /// An adapter with a name of the manifest.
  var namedAdapter: MappingForm {
    MappingForm(
      name: "named_adapter", documentation: "An adapter, by its address, under a name of your choice.",
      keys: Vocabulary.adapter.map { key($0, in: .adapter) }, required: ["address"])
  }

  // MARK: Settings

  private func shared(_ keys: [String], _ place: Place) -> [MappingForm.Key] {
    keys.map { key($0, in: place) } + settings(named: vocabulary.shareableSettings) { .setting($0) }
  }

  private func settings(
    named names: [String], _ form: (SettingDescription) -> ValueForm
  ) -> [MappingForm.Key] {
    names.map { name in
      let families = families.families(with: SettingName(rawValue: name))
      // Families that share a setting describe it in the same way, except for its encoding.
      let descriptions = families.flatMap(\.givenSettings).filter { $0.name.rawValue == name }
      guard let first = descriptions.first else {
        preconditionFailure("no device family has the setting \(name)")
      }
      let texts = zip(families, descriptions).map { "\($0.title): \($1.documentation)" }
      let value =
        first.isSecret
        ? .either([form(first), .mapping(first.isOnLabel ? labelSource : passwordSource)]) : form(first)
      return MappingForm.Key(
        name: name, documentation: texts.joined(separator: "\n\n"),
        value: first.reservedNames.map {
          .named([(.entry(reserved: $0 + Vocabulary.labelSources), value)])
        } ?? value)
    }
  }
}
