package import Model

extension Building {
  /// The rooms that have a device whose label is in no file of labels.
  /// - Throws: `CommandFailure` if a file cannot be used.
  package func unlabelled() throws -> Set<RoomID> {
    var files = LabelFiles()
    var unlabelled: Set<RoomID> = []
    for room in rooms {
      guard let deviceName = room.deviceName else { continue }
      for (name, source) in room.labelSources {
        do throws(SecretError) {
          _ = try files.read(source.file).secret(name, of: deviceName, room.family[name].map { [$0] } ?? [])
        } catch {
          guard error == .noLabel || error == .notOnLabel else {
            throw SecretMessages.failure(error, source.reference)
          }
          unlabelled.insert(room.id)
        }
      }
    }
    return unlabelled
  }
}

extension DeviceLabel {
  /// These assignments with what files of labels have for their devices: no label that is read has a passkey, and a name that
  /// was typed has no secret at all.
  /// - Throws: `CommandFailure` if a file lacks one.
  package static func completed(
    _ assignments: [Walk.Assignment], in building: Building
  ) throws -> [Walk.Assignment] {
    var files = LabelFiles()
    var complete = assignments
    for index in complete.indices {
      guard let room = building.rooms.first(where: { $0.id == complete[index].room }) else { continue }
      let (label, device) = (complete[index].label, complete[index].device)
      let isNameOnly = device.name != nil && label.secrets.isEmpty
      complete[index].label.isNameOnly = isNameOnly
      for (name, source) in room.labelSources.sorted(by: { $0.key < $1.key })
      where isNameOnly || name == .passkey {
        do throws(SecretError) {
          complete[index].label.secrets[name] = try files.read(source.file).secret(
            name, of: device.description, room.family[name].map { [$0] } ?? [])
        } catch {
          let failure = SecretMessages.failure(error, source.reference)
          guard isNameOnly, error == .noLabel, name != .passkey else { throw failure }
          throw CommandFailure(
            failure.status,
            "\(device) has no entry in \(source.file.visible), and its name alone has no `\(name)`",
            advice:
              "Scan its QR code. Or take a delivery list into that file: `roboprov capture … --from LIST`.")
        }
      }
    }
    return complete
  }

  /// Writes the devices of rooms into the manifest, and before that the secrets of their labels into their files: a
  /// label that got no further can be read again.
  /// - Returns: The changes of the manifest, for undo. The files of labels keep theirs.
  /// - Throws: `CommandFailure` if not all of it was written.
  package static func write(_ assignments: [Walk.Assignment], to manifest: String) throws -> [ManifestPatch] {
    let edits = try ManifestFile.edits(of: manifest, assignments.map { ($0.device, $0.room) })
    let rooms = try ManifestFile(manifest).building.rooms
    for assignment in assignments {
      guard !assignment.label.isNameOnly, let name = assignment.device.name,
        let room = rooms.first(where: { $0.id == assignment.room })
      else { continue }
      let (label, sources) = (assignment.label, room.labelSources)
      try label.requireSources(sources, of: room)
      for (file, parts) in Dictionary(grouping: sources, by: \.value.file).sorted(by: { $0.key < $1.key }) {
        let secrets = label.secrets.filter { secret in parts.contains { $0.key == secret.key } }
        try LabelFile.open(file, named: parts[0].value.reference).write(
          [name: secrets], isWhole: true)
      }
    }
    for edit in edits { try ManifestFile.write(edit) }
    return edits.map(ManifestPatch.init)
  }

  /// - Throws: `CommandFailure` if the label has a secret that the room does not take from labels.
  private func requireSources(
    _ sources: [SettingName: (file: String, reference: SecretReference)], of room: Room
  ) throws {
    let lacking = secrets.filter { !$1.reveal().isEmpty && sources[$0] == nil }.keys.sorted()
    guard !lacking.isEmpty else { return }
    let lines = lacking.map { "  \($0): { labels: ./labels.json }" }
    throw CommandFailure(
      .manifest,
      "the label has `\(lacking.map(\.rawValue).joined(separator: "` and `"))`, which \(room.name) does not take from labels",
      advice: "Write into the manifest, under `defaults` or in the room, and scan the label again:\n"
        + lines.joined(separator: "\n"))
  }
}
