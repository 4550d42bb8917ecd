import Bluetooth

extension FamilyCatalogue {
  /// All families, extended to recognise what these rooms expect.
  package func expecting(_ rooms: [Room]) -> FamilyCatalogue {
    let byFamily = Dictionary(grouping: rooms, by: \.family.id)
    return FamilyCatalogue(all.map { $0.expecting(byFamily[$0.id] ?? []) })
  }
}

extension DeviceFamily {
  /// This family, extended to recognise what these rooms of it expect: an identity, or a service of their own.
  package func expecting(_ rooms: [Room]) -> Self {
    var family = self
    family.identity?.expected.formUnion(rooms.compactMap(\.identity?.shared))
    var known = Set<BluetoothUUID>()
    for room in rooms {
      guard case .uuid(let service)? = room.access[.service], known.insert(service).inserted else { continue }
      family.recognition.append(RecognitionRule(.waiting, .service(service)))
    }
    return family
  }
}
